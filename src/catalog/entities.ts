/**
 * The named character references of HTML that shop texts use: all of HTML 4, and from HTML 5 the Central European
 * letters, ASCII punctuation and common signs. A reference needs its semicolon: half of what we read is plain text
 * in which `R&D` and `&copy` are just what they look like.
 */

/** Names of neighboring characters, each list counted up from its first code point. */
const RUNS: readonly (readonly [first: number, names: string])[] = [
  [0x21, `excl quot num dollar percnt amp apos lpar rpar ast plus comma`],
  [
    0xa0,
    `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2
     sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute
     Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde
     Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
     aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth
     ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
     Amacr amacr Abreve abreve Aogon aogon Cacute cacute`,
  ],
  [0x391, `Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho`],
  [
    0x3b1,
    `alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma
     tau upsilon phi chi psi omega`,
  ],
];

/** The others: name and code point in hexadecimal. */
const SINGLES = `
  Tab=9 NewLine=a period=2e sol=2f colon=3a semi=3b lt=3c equals=3d gt=3e quest=3f commat=40 lbrack=5b lsqb=5b
  bsol=5c rbrack=5d rsqb=5d Hat=5e lowbar=5f grave=60 lbrace=7b lcub=7b verbar=7c vert=7c rbrace=7d rcub=7d
  centerdot=b7 half=bd Ccaron=10c ccaron=10d Dcaron=10e dcaron=10f Dstrok=110 dstrok=111 Emacr=112 emacr=113
  Edot=116 edot=117 Eogon=118 eogon=119 Ecaron=11a ecaron=11b Gbreve=11e gbreve=11f Imacr=12a imacr=12b
  Iogon=12e iogon=12f Idot=130 imath=131 inodot=131 Kcedil=136 kcedil=137 Lacute=139 lacute=13a Lcedil=13b
  lcedil=13c Lcaron=13d lcaron=13e Lstrok=141 lstrok=142 Nacute=143 nacute=144 Ncedil=145 ncedil=146
  Ncaron=147 ncaron=148 Odblac=150 odblac=151 OElig=152 oelig=153 Racute=154 racute=155 Rcaron=158 rcaron=159
  Sacute=15a sacute=15b Scedil=15e scedil=15f Scaron=160 scaron=161 Tcedil=162 tcedil=163 Tcaron=164
  tcaron=165 Umacr=16a umacr=16b Uring=16e uring=16f Udblac=170 udblac=171 Uogon=172 uogon=173 Yuml=178
  Zacute=179 zacute=17a Zdot=17b zdot=17c Zcaron=17d zcaron=17e fnof=192 circ=2c6 tilde=2dc Sigma=3a3 Tau=3a4
  Upsilon=3a5 Phi=3a6 Chi=3a7 Psi=3a8 Omega=3a9 ohm=3a9 thetasym=3d1 upsih=3d2 piv=3d6 ensp=2002 emsp=2003
  numsp=2007 puncsp=2008 thinsp=2009 hairsp=200a zwnj=200c zwj=200d lrm=200e rlm=200f dash=2010 hyphen=2010
  ndash=2013 mdash=2014 horbar=2015 lsquo=2018 rsquo=2019 sbquo=201a ldquo=201c rdquo=201d bdquo=201e
  dagger=2020 Dagger=2021 bull=2022 bullet=2022 nldr=2025 hellip=2026 mldr=2026 permil=2030 prime=2032
  Prime=2033 lsaquo=2039 rsaquo=203a oline=203e frasl=2044 euro=20ac image=2111 numero=2116 weierp=2118
  real=211c trade=2122 alefsym=2135 frac13=2153 frac23=2154 frac15=2155 frac25=2156 frac18=215b frac38=215c
  frac58=215d frac78=215e larr=2190 leftarrow=2190 uarr=2191 uparrow=2191 rarr=2192 rightarrow=2192 darr=2193
  downarrow=2193 harr=2194 crarr=21b5 lArr=21d0 uArr=21d1 rArr=21d2 dArr=21d3 hArr=21d4 forall=2200 part=2202
  exist=2203 empty=2205 nabla=2207 isin=2208 notin=2209 ni=220b prod=220f sum=2211 minus=2212 lowast=2217
  radic=221a prop=221d infin=221e ang=2220 and=2227 or=2228 cap=2229 cup=222a int=222b there4=2234 sim=223c
  cong=2245 approx=2248 asymp=2248 ne=2260 equiv=2261 nequiv=2262 le=2264 leq=2264 ge=2265 geq=2265 sub=2282
  sup=2283 nsub=2284 sube=2286 supe=2287 oplus=2295 otimes=2297 perp=22a5 sdot=22c5 lceil=2308 rceil=2309
  lfloor=230a rfloor=230b loz=25ca bigstar=2605 starf=2605 star=2606 phone=260e female=2640 male=2642
  spades=2660 clubs=2663 hearts=2665 heartsuit=2665 diams=2666 sung=266a flat=266d sharp=266f check=2713
  checkmark=2713 cross=2717 lang=27e8 rang=27e9`;

const NAMED: ReadonlyMap<string, string> = new Map([...eachRun(), ...eachSingle()]);

function* eachRun(): Generator<[string, string]> {
  for (const [first, names] of RUNS) {
    for (const [offset, name] of names.split(/\s+/).entries())
      yield [name, String.fromCodePoint(first + offset)];
  }
}

function* eachSingle(): Generator<[string, string]> {
  for (const pair of SINGLES.trim().split(/\s+/)) {
    const [name = "", hex = ""] = pair.split("=");
    yield [name, String.fromCodePoint(Number.parseInt(hex, 16))];
  }
}

/** What Windows-1252 has at 0x80 to 0x9F; browsers read numeric references there as these (WHATWG HTML, 13.2.5.80). */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** The character of a reference, given what stands between `&` and `;`, or undefined when it is none. */
export function decodeReference(name: string): string | undefined {
  return name.charCodeAt(0) === 35 ? decodeNumber(name) : NAMED.get(name);
}

const NUMBER = /^#(?:(\d+)|x([\da-f]+))$/i;

function decodeNumber(name: string): string | undefined {
  const parts = NUMBER.exec(name);
  if (parts === null) return undefined;
  const [, decimal, hex = ""] = parts;
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.charAt(code - 0x80);
  // Surrogates become the replacement character here; so does NUL, as in a browser.
  return code === 0 || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code).toWellFormed();
}
