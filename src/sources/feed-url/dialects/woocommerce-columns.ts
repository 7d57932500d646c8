/**
 * WooCommerce's product export writes its column names in the language of the shop. These are the names of
 * WooCommerce's language packs. `%s` is a unit or the name of a custom field, `%d` the number of an attribute. Values
 * are not translated.
 */

const columnsIn = (text: string): string[] => text.split("|").map((name) => name.trim());

/** The columns of an export, in the order in which WooCommerce writes them. */
export const WOOCOMMERCE_COLUMNS: readonly string[] = columnsIn(`
    ID | Type | SKU | GTIN, UPC, EAN, or ISBN | Name | Published | Is featured? | Visibility in catalog |
    Short description | Description | Date sale price starts | Date sale price ends | Tax status | Tax class |
    In stock? | Stock | Low stock amount | Backorders allowed? | Sold individually? | Weight (%s) |
    Length (%s) | Width (%s) | Height (%s) | Allow customer reviews? | Purchase note | Sale price |
    Regular price | Categories | Tags | Shipping class | Images | Download limit | Download expiry days |
    Parent | Grouped products | Upsells | Cross-sells | External URL | Button text | Position`);

/** Columns that follow them in no fixed place. */
const MORE_COLUMNS: readonly string[] = columnsIn(`
    Brands | Attribute %d name | Attribute %d value(s) | Attribute %d visible | Attribute %d global |
    Attribute %d default | Meta: %s`);

/** In the order of the columns above: `=` where the name is the English one, `a / b` where versions differ. */
const LANGUAGE_PACKS: Readonly<Record<string, string>> = {
  German: `
    = | Typ | Artikelnummer | GTIN, UPC, EAN oder ISBN | = | Veröffentlicht | Ist hervorgehoben? |
    Sichtbarkeit im Katalog | Kurzbeschreibung | Beschreibung | Datum, an dem Angebotspreis beginnt |
    Datum, an dem Angebotspreis endet | Steuerstatus | Steuerklasse | Vorrätig? | Lager / Lagerbestand |
    Geringe Lagermenge | Lieferrückstande erlaubt? | Nur einzeln verkaufen? | Gewicht (%s) | Länge (%s) |
    Breite (%s) | Höhe (%s) | Kundenbewertungen erlauben? | Hinweis zum Kauf | Angebotspreis | Regulärer Preis |
    Kategorien | Schlagwörter | Versandklasse | Bilder | Downloadlimit | Ablauftage des Downloads |
    Übergeordnetes Produkt | Gruppierte Produkte | Zusatzverkäufe | Cross-Sells (Querverkäufe) | Externe URL |
    Button-Text | = | Marken | Attribut %d Name | Attribut %d Wert(e) | Attribut %d Sichtbar |
    Attribut %d Global | Attribut %d Standard | =`,
  French: `
    = | = | UGS | GTIN, UPC, EAN ou ISBN | Nom | Publié | Mis en avant? | Visibilité dans le catalogue |
    Description courte | = | Date de début de promo | Date de fin de promo | État de la TVA | Classe de TVA |
    En stock? | = | Montant de stock faible | Autoriser les commandes de produits en rupture? |
    Vendre individuellement? | Poids (%s) | Longueur (%s) | Largeur (%s) | Hauteur (%s) |
    Autoriser les avis clients? | Note de commande | Tarif promo | Tarif régulier | Catégories | Étiquettes |
    Classe d'expédition | = | Limite de téléchargement | Jours d'expiration du téléchargement | = |
    Groupes de produits | Produits suggérés | Ventes croisées | URL externe | Libellé du bouton | = | Marques |
    Nom de l'attribut %d | Valeur(s) de l'attribut %d | Attribut %d visible | Attribut %d global |
    Attribut %d par défaut | Méta : %s`,
  Spanish: `
    = | Tipo | = | = | Nombre | Publicado | ¿Está destacado? | Visibilidad en el catálogo | Descripción corta |
    Descripción | Día en que empieza el precio rebajado | Día en que termina el precio rebajado |
    Estado del impuesto | Clase de impuesto | ¿En inventario? / ¿Existencias? | Inventario |
    Cantidad de bajo inventario | ¿Permitir reservas de productos agotados? | ¿Vendido individualmente? |
    Peso (%s) | Longitud (%s) | Anchura (%s) | Altura (%s) | ¿Permitir valoraciones de clientes? |
    Nota de compra | Precio rebajado | Precio normal | Categorías | Etiquetas | Clase de envío | Imágenes |
    Límite de descargas | Días de caducidad de la descarga | Superior | Productos agrupados | Ventas dirigidas |
    Ventas cruzadas | URL externa | Texto del botón | Posición | = | Nombre del atributo %d |
    Valor(es) del atributo %d | Atributo visible %d | Atributo global %d | Atributo por defecto %d | =`,
  Italian: `
    = | Tipo | COD | = | Nome | Pubblicato | In primo piano? | Visibilità nel catalogo | Breve descrizione |
    Descrizione | Data di partenza del prezzo in saldo | Data in cui termina l'offerta | Stato delle imposte |
    Aliquota di imposta | = | Magazzino | Quantità in magazzino bassa | Abilita gli ordini arretrati? |
    Venduto singolarmente? | Peso (%s) | Lunghezza (%s) | Larghezza (%s) | Altezza (%s) |
    Permetti le recensioni clienti? | Nota di acquisto | Prezzo in offerta | Prezzo di listino | Categorie |
    Tag | Classe di spedizione | Immagine | Limite di download | Scarica i giorni di scadenza | Genitore |
    Prodotti raggruppati | Up-sell | Cross-sell | URL esterna | Testo del pulsante | Posizione | = |
    Attributo %d nome | Attributo %d valuta(e) | Attributo %d visibile | Attributo %d globale |
    Attributo %d predefinito | =`,
  Dutch: `
    = | = | Artikelnummer | GTIN, UPC, EAN of ISBN | Naam | Gepubliceerd | Uitgelicht? |
    Zichtbaarheid in catalogus | Korte omschrijving | Beschrijving | Startdatum actieprijs |
    Einddatum actieprijs | Btw status | Belastingklasse | Op voorraad? | Voorraad | Lage voorraad |
    Nabestellingen toestaan? | Wordt individueel verkocht? | Gewicht (%s) | Lengte (%s) | Breedte (%s) |
    Hoogte (%s) | Klantbeoordelingen toestaan? | Aankoopnotitie | Actieprijs | Reguliere prijs | Categorieën |
    = | Verzendklasse | Afbeeldingen | Downloadlimiet | Dagen vervaltijd download | Hoofd |
    Gegroepeerde producten | = | = | Externe URL | Knop tekst | Positie | Merken | Naam eigenschap %d |
    Waarde eigenschap %d | Zichtbare eigenschap %d | Globale eigenschap %d | Standaardeigenschap %d | =`,
  Polish: `
    = | Typ | = | GTIN, UPC, EAN lub ISBN | Nazwa | Opublikowano / Opublikowany | Wyróżniony produkt? |
    Widoczność w katalogu | Krótki opis | Opis | Data rozpoczęcia promocji | Data zakończenia promocji |
    Status podatku | Klasa podatkowa | W magazynie? | Stan magazynowy | Niski stan magazynowy |
    Pozwalać na zamówienia oczekujące (na dostawę do magazynu)? | Sprzedawany pojedynczo? | Waga (%s) |
    Długość (%s) | Szerokość (%s) | Wysokość (%s) | Włącz opinie klientów? | Notatka do zakupu |
    Cena promocyjna | Cena | Kategorie | Tagi | Klasa wysyłkowa | Obrazki | Limit pobrań | Ważność pobierania |
    Element nadrzędny / Rodzic | Produkty grupowe | Produkty "up-sell" | Produkty "Cross-sell" |
    Zewnętrzny adres URL | Tekst przycisku | Pozycja | Marki | Nazwa atrybutu %d | Wartości atrybutu %d |
    Atrybut %d widoczny | Atrybut %d: globalny | Atrybut %d: wartość domyślna | Pola: %s`,
  Portuguese: `
    = | Tipo | REF | = | Nome | Publicado | Em destaque? | Visibilidade no catálogo | Descrição breve |
    Descrição | Data de início do preço promocional | Data de término do preço promocional | Situação fiscal |
    Classe de imposto | Em stock? | Qtd Stock / Stock | Valor de stock baixo | Permitir encomendas pendentes? |
    Vender Individualmente? | Peso (%s) | Comprimento (%s) | Largura (%s) | Altura (%s) |
    Permitir avaliações de clientes? | Nota da encomenda | Preço promocional | Preço normal | Categorias |
    Etiquetas | Classe de envio | Imagens | Limite de descarregamento | Dias para expirar o descarregamento |
    Pai | Produtos agrupados | Aumenta vendas | Vendas cruzadas | URL externo | Texto do botão | Posição | = |
    Atributo %d nome | Atributo %d valor(es) | Atributo %d visível | Atributo %d global |
    Atributo %d por omissão | Metadados: %s`,
  "Brazilian Portuguese": `
    = | Tipo | = | = | Nome | Publicado | Em destaque? | Visibilidade no catálogo | Descrição curta |
    Descrição | Data de preço promocional começa em | Data de preço promocional termina em |
    Status da taxa / Status do imposto | Classe de imposto / Classe de taxa | Em estoque? | Estoque |
    Quantidade baixa de estoque | São permitidas encomendas? | Vendido individualmente? | Peso (%s) |
    Comprimento (%s) | Largura (%s) | Altura (%s) | Permitir avaliações de clientes? | Nota da compra |
    Preço promocional | Preço | Categorias | = | Classe de entrega | Imagens |
    Limite de download / Limite de downloads | Dias para expirar o download | Ascendente / Produto ascendente |
    Grupo de produtos | Aumentar vendas / Upsells | Venda cruzada | URL externa | Texto do botão | Posição | = |
    Nome do atributo %d | Valores do atributo %d | Visibilidade do atributo %d | Atributo global %d |
    Atributo padrão %d | Metadado: %s`,
  Russian: `
    = | Тип | Артикул | = | Имя | Опубликован | Рекомендуемый? | Видимость в каталоге |
    Краткое описание / Короткое описание | Описание |
    Дата начала действия продажной цены / Дата начала действия скидки |
    Дата окончания действия продажной цены / Дата окончания действия скидки | Статус налога | Налоговый класс |
    В наличии? | Запасы / Склад | Величина малых запасов | Возможен ли предзаказ? | Продано индивидуально? |
    Вес (%s) | Длина (%s) | Ширина (%s) | Высота (%s) | Разрешить отзывы от клиентов? | Примечание к покупке |
    Акционная цена / Цена распродажи | Базовая цена | Категории | Метки | Класс доставки | Изображения |
    Лимит загрузок | Дней срока загрузки / Число дней до просроченной загрузки | Родительский |
    Сгруппированные товары | Апсейл / Апсэлы | Кросселы | Внешний URL | Текст кнопки | Позиция | = |
    Имя атрибута %d / Название атрибута %d | Значение(-я) аттрибута(-ов) %d / Значения атрибутов %d |
    Видимость атрибута %d | Глобальный атрибут %d | Атрибут %d по умолчанию | Мета: %s`,
  Swedish: `
    = | Typ | Artikelnr / Artikelnummer | = | Namn | Publicerad | Är utvald? | Synlighet i katalog |
    Kort beskrivning | Beskrivning | Datum när reapriset börjar | Datum när reapriset upphör | Momsstatus |
    Momsklass | I lager? | Lager / Lagersaldo | Lågt lagerantal | Tillåt restnoteringar? | Säljes styckvis? |
    Vikt (%s) | Längd (%s) | Bredd (%s) | Höjd (%s) | Tillåt kundrecensioner? | Köpmeddelande | Reapris |
    Ordinarie pris | Kategorier | Etiketter | Fraktklass | Bilder | Nedladdningsgräns |
    Ladda ned utgångsdagar / Ladda ner utgångsdagar | Överordnad | Grupperade produkter |
    Merförsäljning / Uppförsäljning | Korsförsäljning | Extern URL | Knapptext | = | = | Attribut %d namn |
    Attribut %d värde(n) | Attribut %d synligt | Attribut %d globalt | Attribut %d standardvärde | =`,
  Danish: `
    = | = | Varenummer | = | Navn | Udgivet | Er fremhævet (udvalgt)? |
    Synlighed i katalog (shoppens frontend) | Kort beskrivelse | Beskrivelse |
    Den dato hvor tilbudsprisen starter | Den dato hvor tilbudsprisen slutter | Momsstatus | Momsklasse |
    På lager? | Lager / Lagerantal | Lavt lagerantal | Restordrer tilladt? | Sælges enkeltvist? | Vægt (%s) |
    Længde (%s) | Bredde (%s) | Højde (%s) | Tillad kundeanmeldelser? | Bemærkning til køb | Tilbudspris |
    Normalpris | Kategorier | = | Forsendelsesklasse | Billeder | Downloadbegrænsning | Download udløbsdage |
    Forældre | Grupperede varer | Mersalg | Krydssalg | Ekstern URL (webadresse) | Knap tekst | = | = |
    Egenskab %d navn | Egenskab %d værdi(er) | Egenskab %d er synlig | Egenskab %d globalt |
    Egenskab %d standard | =`,
  Norwegian: `
    = | = | Varenummer | = | Navn | Publisert | Er fremhevet? | Synlighet i katalogen | Kort beskrivelse |
    Beskrivelse | Startdato for utsalgspris | Sluttdato for utsalgspris | Avgiftsstatus | Avgiftsklasse |
    På lager? | Lager | Terskel for lite på lager | Restordre tillatt? | Solgt individuelt? | Vekt (%s) |
    Lengde (%s) | Bredde (%s) | Høyde (%s) | Tillat omtaler? | Kjøpsnotat | Utsalgspris | Ordinær pris |
    Kategorier | Stikkord | Fraktklasse | Bilder | Nedlastningsbegrensning |
    Dager til utløpsdato for nedlastingen | Forelder | Grupperte produkter | Oppsalg | Kryssalg | Ekstern URL |
    Knappetekst | Posisjon | = | Attributt %d navn | Attributt %d verdi(er) | Attributt %d synlig |
    Attributt %d global | Attributt %d standard | =`,
  Finnish: `
    = | Laji | Tuotetunnus (SKU) | = | Nimi | Julkaistu | On esittelyssä? | Näkyvyys tuoteluettelossa |
    Lyhyt kuvaus | Kuvaus | Alennuksen aloituspäivä | Alennuksen päättymispäivä | Veron tila | Veroluokka |
    Varasto? | Varasto / Varastossa | Varasto vähissä määrä | Salli jälkitoimitukset? | Myydäänkö yksittäin? |
    Paino (%s) | Pituus (%s) | Leveys (%s) | Korkeus (%s) | Salli asiakkaiden tuotearviot | Viesti ostajalle |
    Alennettu hinta | Normaali hinta | Osastot | Avainsanat | Toimitusluokka | Kuvat | Latausraja |
    Latauksen vanhenemisaika päivissä | Ylempi taso | Joukkotuotteet | Parempi tuote (Up-Sell) |
    Lisätuote (Cross-Sell) | Ulkoinen verkko-osoite | Painikkeen teksti | Paikka | = | Ominaisuus %d nimi |
    Ominaisuus %d arvo(t) | Ominaisuus %d näkyy | Ominaisuus %d kaikkialla käytetty | Ominaisuuden %d oletus |
    Metatieto: %s`,
  Ukrainian: `
    = | Тип | Артикул | = | Ім'я / Назва | Опубліковано | Рекомендовано? | Видимість в каталозі |
    Короткий опис | Опис | Початок акції | Завершення акції | Статус податку | Клас податку | В наявності? |
    Запас / Запаси / На складі | Низька кількість запасів | Дозволити резервування? | Продавати окремо? |
    Вага (%s) | Довжина (%s) | Ширина (%s) | Висота (%s) | Дозволити відгуки? |
    Нотатка до покупки / Примітка до покупки | Ціна зі знижкою | Звичайна ціна | Категорії | Позначки |
    Клас доставки | Зображення | Ліміт завантажень | Число днів до закінчення Завантаження | Предок |
    Згруповані товари | Пропозиція товарів | Супутні товари | Зовнішній URL | Текст кнопки |
    Позиція / Положення | = | Назва %d атрибуту | %d значення атрибуту | Атрибут %d видимий |
    Атрибут %d глобальний | Атрибут %d за замовчуванням | Мета ідентифікатор :%s / Мета: %s`,
  Turkish: `
    Kimlik | Tür | Stok kodu (SKU) | = | İsim | Yayımlanmış | Öne çıkan? | Katalogda görünürlük |
    Kısa açıklama | Açıklama | İndirimli fiyatın başladığı tarih | İndirimli fiyatın bittiği tarih |
    Vergi durumu | Vergi sınıfı | Stokta? | Stok | Düşük stok miktarı | Yok satmaya izin? |
    Ayrı ayrı mı satılıyor? | Ağırlık (%s) | Uzunluk (%s) | Genişlik (%s) | Yükseklik (%s) |
    Müşteri değerlendirmelerine izin verilsin mi? / Müşteri incelemelerine izin verilsin mi? | Satın alma notu |
    İndirimli satış fiyatı | Normal fiyat | Kategoriler | Etiketler | Gönderim sınıfı | Görseller |
    İndirme sınırı | İndirme sona erme günü | Ebeveyn | Gruplanmış ürünler | Yukarı satışlar | Çapraz satışlar |
    Harici URL | Düğme metni | Konum | = | Nitelik %d ismi | Nitelik %d değer(ler)i | Nitelik %d görünür |
    Nitelik %d genel | Nitelik %d varsayılan | =`,
  Greek: `
    = | Τύπος | Κωδικός προϊόντος | = | Όνομα | Δημοσιευμένο | Είναι προτεινόμενο; | Ορατότητα στον κατάλογο |
    Σύντομη περιγραφή | Περιγραφή | Ημερομηνία έναρξης εκπτωτικής τιμής | Ημερομηνία λήξης εκπτωτικής τιμής |
    Κατάσταση φόρου | Κατηγορία φόρου | Σε απόθεμα; | Απόθεμα | Χαμηλή ποσότητα αποθέματος |
    Να επιτρέπονται λίστες αναμονής; | Μεμονωμένη πώληση; | Βάρος (%s) | Μήκος (%s) | Πλάτος (%s) | Ύψος (%s) |
    Να επιτρέπονται αξιολογήσεις πελάτη; | Σημείωση αγοράς | Τιμή προσφοράς | Κανονική τιμή | Κατηγορίες |
    Ετικέτες | Κατηγορία αποστολής | Εικόνες | Όριο μεταφόρτωσης | Ημέρες λήξης μεταφόρτωσης | Γονέας |
    Ομαδοποιημένα προϊόντα | Αύξηση πωλήσεων | Προϊόντα παράλληλης πώλησης | Εξωτερικό URL | Κείμενο κουμπιού |
    Θέση | = | Όνομα ιδιότητας %d | Τιμή(ές) ιδιότητας %d | Ιδιότητα %d ορατή | Ιδιότητα %d καθολική |
    Ιδιότητα %d προεπιλεγμένη | =`,
};

/** English name to theirs, by language. */
export const WOOCOMMERCE_TRANSLATIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =
  Object.fromEntries(
    Object.entries(LANGUAGE_PACKS).map(([language, names]) => [language, namesByColumn(columnsIn(names))]),
  );

function namesByColumn(names: readonly string[]): Record<string, readonly string[]> {
  const columns = [...WOOCOMMERCE_COLUMNS, ...MORE_COLUMNS];
  if (names.length !== columns.length)
    throw new RangeError(`${names.length} names for ${columns.length} columns`);
  return Object.fromEntries(
    columns.map((column, place) => {
      const name = names[place] ?? "=";
      return [column, name === "=" ? [column] : name.split(" / ")];
    }),
  );
}
