/** The words that shops use for availability, in the languages of our users' markets. */
import type { Availability } from "../item.ts";
import { meaningOf, wordTable } from "../words.ts";

const AVAILABILITY_WORDS = wordTable<Availability>({
  in_stock: `in stock, instock, available, available for order, available now, ready to ship, limited availability,
    limited stock, low stock, few left, only a few left, online only, in store only, made to order, yes, y, true, 1,
    auf lager, am lager, lieferbar, sofort lieferbar, sofort verfügbar, verfügbar, verfuegbar, vorrätig, vorraetig, ja,
    en stock, disponible, disponible immédiatement, oui, en existencia, hay existencias, sí,
    disponibile, disponibilità immediata, in magazzino, op voorraad, voorradig, leverbaar, beschikbaar,
    em estoque, em stock, disponível, sim, w magazynie, dostępny, dostępna, dostępne, na stanie, tak,
    i lager, finns i lager, tillgänglig, på lager, tilgængelig, tilgjengelig, varastossa, saatavilla`,
  out_of_stock: `out of stock, outofstock, oos, sold out, discontinued, unavailable, not available, not in stock,
    no longer available, currently unavailable, temporarily unavailable, temporarily out of stock, reserved,
    no, n, false, 0, nicht lieferbar, nicht auf lager, nicht verfügbar, nicht verfuegbar, nicht vorrätig,
    derzeit nicht verfügbar, derzeit nicht lieferbar, ausverkauft, vergriffen, nein,
    rupture, rupture de stock, en rupture, en rupture de stock, épuisé, indisponible, non disponible, hors stock, non,
    agotado, sin stock, sin existencias, no disponible, fuera de stock,
    esaurito, esaurita, non disponibile, fuori stock, non in magazzino,
    niet op voorraad, uitverkocht, niet leverbaar, niet beschikbaar, niet voorradig, nee,
    esgotado, sem estoque, sem stock, fora de estoque, indisponível, não disponível, não,
    brak, brak w magazynie, brak na stanie, niedostępny, niedostępna, niedostępne, wyprzedane, nie,
    slut, slut i lager, slutsåld, ej i lager, inte i lager, tillfälligt slut, udsolgt, utsolgt, ikke på lager,
    ikke tilgængelig, ikke tilgjengelig, nej, nei, loppu, loppuunmyyty, ei varastossa`,
  preorder: `pre-order, pre order, presale, pre-sale, available for preorder, vorbestellbar, vorbestellung,
    précommande, en précommande, preventa, pre-venta, reserva, preordine, in preordine, preordinabile, prenotabile,
    voorbestelling, te reserveren, reserveren, pré-venda, pré-encomenda, przedsprzedaż, w przedsprzedaży,
    förbeställning, förhandsbokning, förboka, forudbestilling, forhåndsbestilling, forhåndsordre, ennakkotilaus`,
  backorder: `back-order, on backorder, backordered, available on backorder, available for backorder,
    nachbestellt, nachlieferung, im rückstand, lieferrückstand, sur commande, disponible sur commande,
    bajo pedido, se puede reservar, su ordinazione, in arrivo, nabestelling, in nabestelling,
    sob encomenda, por encomenda, na zamówienie, restnoterad, beställningsvara, restordre, bestillingsvare,
    jälkitoimitus`,
  unknown: "",
});

export type StockStatus = {
  readonly availability: Availability;
  /** How many, when the field held a count. `0` and `1` may as well mean no and yes, and are not taken for counts. */
  readonly quantity?: number;
};

const COUNT = /^-?\d{1,9}$/;

export function readAvailability(text: string): StockStatus | undefined {
  const availability = meaningOf(AVAILABILITY_WORDS, text);
  if (availability !== undefined) return { availability };
  const count = COUNT.test(text) ? Number(text) : undefined;
  return count === undefined
    ? undefined
    : { availability: availabilityOf(count), quantity: Math.max(count, 0) };
}

/** Not in stock yet, but sold: there may be a date, and a quantity does not change the availability. */
export function isPreOrBackorder(availability: Availability): boolean {
  return availability === "preorder" || availability === "backorder";
}

export function availabilityOf(quantity: number): Availability {
  return quantity > 0 ? "in_stock" : "out_of_stock";
}
