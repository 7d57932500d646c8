/**
 * Current codes of ISO 3166-1 and ISO 4217. `Intl` also has withdrawn ones, and which ones differs between browsers.
 */

/** Countries, alpha-2. */
export const COUNTRIES: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
   CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
   GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
   KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
   MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
   SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
   UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);

/**
 * The currencies a price can be in, with the digits after the decimal point: every active ISO 4217 code that has minor
 * units, funds codes included. Metals, testing codes and units of account are left out, since no price is in them;
 * withdrawn codes (HRK, BGN, ANG, SLL, ZWL, CUC) are left out too, since a price in one cannot be paid any more.
 */
export const CURRENCIES: ReadonlyMap<string, number> = new Map([
  ...withDigits(
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
     COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
     JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
     NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
     THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ),
  ...withDigits(0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
  ...withDigits(3, "BHD IQD JOD KWD LYD OMR TND"),
  ...withDigits(4, "CLF UYW"),
]);

function withDigits(digits: number, codes: string): [string, number][] {
  return codes.split(/\s+/).map((code) => [code, digits]);
}

/**
 * The currency of a country's shops. Countries whose shops use two currencies side by side, and places without shops,
 * are missing: their currency has to be asked for.
 */
export const COUNTRY_CURRENCIES: ReadonlyMap<string, string> = new Map([
  ...withCurrency(
    "EUR",
    `AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA YT`,
  ),
  ...withCurrency("USD", "AS BQ EC FM GU IO MH MP PR PW SV TC TL UM US VG VI"),
  ...withCurrency("AUD", "AU CC CX KI NF NR TV"),
  ...withCurrency("CHF", "CH LI"),
  ...withCurrency("DKK", "DK FO GL"),
  ...withCurrency("GBP", "GB GG GS IM JE"),
  ...withCurrency("NOK", "BV NO SJ"),
  ...withCurrency("NZD", "CK NU NZ PN TK"),
  ...withCurrency("XAF", "CF CG CM GA GQ TD"),
  ...withCurrency("XCD", "AG AI DM GD KN LC MS VC"),
  ...withCurrency("XCG", "CW SX"),
  ...withCurrency("XOF", "BF BJ CI GW ML NE SN TG"),
  ...withCurrency("XPF", "NC PF WF"),
  ...`AE=AED AF=AFN AL=ALL AM=AMD AO=AOA AR=ARS AW=AWG AZ=AZN BA=BAM BB=BBD BD=BDT BH=BHD BI=BIF BM=BMD BN=BND BO=BOB
      BR=BRL BS=BSD BW=BWP BY=BYN BZ=BZD CA=CAD CL=CLP CN=CNY CO=COP CR=CRC CU=CUP CV=CVE CZ=CZK DJ=DJF DO=DOP DZ=DZD
      EG=EGP ER=ERN ET=ETB FJ=FJD FK=FKP GE=GEL GH=GHS GI=GIP GM=GMD GN=GNF GT=GTQ GY=GYD HK=HKD HN=HNL HU=HUF ID=IDR
      IL=ILS IN=INR IQ=IQD IR=IRR IS=ISK JM=JMD JO=JOD JP=JPY KE=KES KG=KGS KM=KMF KP=KPW KR=KRW KW=KWD KY=KYD KZ=KZT
      LA=LAK LK=LKR LY=LYD MA=MAD MD=MDL MG=MGA MK=MKD MM=MMK MN=MNT MO=MOP MR=MRU MU=MUR MV=MVR MW=MWK MX=MXN MY=MYR
      MZ=MZN NG=NGN NI=NIO NP=NPR OM=OMR PE=PEN PG=PGK PH=PHP PK=PKR PL=PLN PY=PYG QA=QAR RO=RON RS=RSD RU=RUB RW=RWF
      SA=SAR SB=SBD SC=SCR SD=SDG SE=SEK SG=SGD SH=SHP SL=SLE SR=SRD SS=SSP ST=STN SY=SYP SZ=SZL TH=THB TJ=TJS TM=TMT
      TN=TND TO=TOP TR=TRY TT=TTD TW=TWD TZ=TZS UA=UAH UG=UGX UY=UYU UZ=UZS VN=VND VU=VUV WS=WST YE=YER ZA=ZAR ZM=ZMW`
    .split(/\s+/)
    .map((pair): [string, string] => [pair.slice(0, 2), pair.slice(3)]),
]);

function withCurrency(currency: string, countries: string): [string, string][] {
  return countries.split(/\s+/).map((country) => [country, currency]);
}
