/** How shops spell the closed lists of `item.ts`, and yes and no, in the languages of our users' markets. */
import type { AgeGroup, Gender, SizeSystem, SizeType } from "../item.ts";
import { wordTable } from "../words.ts";

export const YES_NO_WORDS = wordTable({
  yes: "y, true, t, 1, on, ja, oui, si, sí, sim, tak, kyllä, wahr, vrai, verdadero, vero, incl, included, inclusive",
  no: "n, false, f, 0, off, nein, non, nee, não, nao, nie, nej, nei, ei, falsch, faux, falso, excl, excluded, exclusive",
});

/** Whether the shop shows the item. `-1` is how WooCommerce exports a draft. */
export const PUBLISHED_WORDS = wordTable({
  yes: `y, true, 1, on, ja, oui, si, sim, active, published, publish, visible, enabled, live, online, catalog, search,
    catalog search, both, aktiv, veröffentlicht, sichtbar, publié, publicado, pubblicato`,
  no: `n, false, 0, -1, off, nein, non, nee, draft, archived, archive, hidden, disabled, inactive, private, pending,
    offline, unlisted, unpublished, trash, deleted, not visible, not visible individually, entwurf, inaktiv,
    versteckt, brouillon, borrador, bozza`,
});

export const GENDER_WORDS = wordTable<Gender>({
  male: `m, men, man, mens, boy, boys, herren, herr, männer, mann, männlich, jungen, homme, hommes, masculin, garçon,
    hombre, hombres, masculino, uomo, uomini, maschile, heren, mannen, homem, homens, mężczyzna, męski, męska, męskie,
    herre, herrer, mand, mænd, miehet, mies`,
  female: `f, w, women, woman, womens, lady, ladies, girl, girls, damen, dame, frauen, frau, weiblich, mädchen, femme,
    femmes, féminin, fille, mujer, mujeres, femenino, donna, donne, femminile, dames, vrouw, vrouwen, mulher, mulheres,
    feminino, kobieta, kobiety, damski, damska, damskie, dam, kvinna, kvinne, kvinder, naiset, nainen`,
  unisex: "neutral, gender neutral, all genders, men and women, herren und damen, damen und herren, mixte, u",
});

export const AGE_GROUP_WORDS = wordTable<AgeGroup>({
  newborn:
    "new born, newborns, neugeborene, neugeborenes, nouveau-né, recién nacido, neonato, recém-nascido, noworodek",
  infant:
    "infants, baby, babies, babys, säugling, bébé, bébés, bebé, bebe, bebês, zuigeling, niemowlę, spädbarn, spædbarn",
  toddler: "toddlers, kleinkind, kleinkinder, tout-petit, peuter, peuters, bambini piccoli, maluch, småbarn",
  kids: `kid, child, children, teen, youth, junior, kinder, kind, enfant, enfants, niño, niños, niña, niñas, infantil,
    bambino, bambini, bambina, kinderen, criança, crianças, dziecko, dzieci, barn, børn, lapset`,
  adult: `adults, grown-up, erwachsene, erwachsener, adulte, adultes, adulto, adultos, adulta, adulti, volwassene,
    volwassenen, dorosły, dorośli, dla dorosłych, vuxen, vuxna, voksen, voksne, aikuinen, aikuiset`,
});

export const SIZE_SYSTEM_WORDS = wordTable<SizeSystem>({
  US: "usa, wearable size system us",
  UK: "gb, wearable size system uk",
  EU: "europe, eur, wearable size system europe",
  DE: "germany, wearable size system de",
  FR: "france, wearable size system fr",
  JP: "japan, wearable size system jp",
  CN: "china, wearable size system cn",
  IT: "italy, wearable size system it",
  BR: "brazil, wearable size system br",
  MEX: "mx, mexico, wearable size system mx",
  AU: "australia, wearable size system au",
});

export const SIZE_TYPE_WORDS = wordTable<SizeType>({
  regular: "normal, standard, wearable size group regular",
  petite: "kurzgröße, wearable size group petite",
  plus: "plus size, große größen, grande taille, wearable size group plus",
  tall: "long, langgröße, wearable size group tall",
  big: "big and tall, oversize, wearable size group big",
  maternity: "umstandsmode, grossesse, premamá, wearable size group maternity",
});

/** The labels of Regulation (EU) 2017/1369 and of the scale before it. */
export const ENERGY_CLASS_WORDS = wordTable({
  "A+++": "a3plus",
  "A++": "a2plus",
  "A+": "a1plus",
  A: "",
  B: "",
  C: "",
  D: "",
  E: "",
  F: "",
  G: "",
});

/** Which trait an option of this name is about: `Colour: Teal` says the color. */
export const OPTION_NAME_WORDS = wordTable({
  color: `colour, colors, colours, farbe, farben, farbton, couleur, couleurs, coloris, colore, colori, color principal,
    kleur, kleuren, cor, cores, kolor, kolory, färg, farge, farve, väri, barva, farba, цвет, колір`,
  size: `sizes, größe, groesse, grösse, kleidergröße, schuhgröße, taille, tailles, pointure, talla, tallas, talle, taglia,
    taglie, maat, maten, tamanho, tamanhos, tamaño, rozmiar, rozmiary, storlek, størrelse, koko, shoe size,
    velikost, veľkosť, размер, розмір`,
  material: `materials, fabric, stoff, obermaterial, materialien, matière, matières, matériau, tissu, tejido, materiales,
    materiale, tessuto, materiaal, stof, tecido, materiał, tkanina, tyg, materiaali, materiál, материал,
    матеріал`,
  pattern:
    "patterns, print, muster, motif, motivo, patrón, estampado, fantasia, patroon, padrão, wzór, mönster, mønster, kuosi, vzor",
});
