/**
 * Hostile and harmless targets, as data for the tests of the guard. `spellings` writes one address in every way that a
 * URL parser, a resolver or a tunnel might understand; the lists below it are what cannot be derived. `{port}` stands
 * for the port of a listener on loopback that must not be reached.
 */
import type { Address } from "./ip-ranges.ts";

const hex = (number: number): string => number.toString(16);
const pair = (high = 0, low = 0): string => hex(high * 256 + low);
const fullWidth = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Every spelling of an IPv4 address that a URL can have as its host. */
export function ipv4Spellings([a = 0, b = 0, c = 0, d = 0]: Address): readonly string[] {
  const dotted = `${a}.${b}.${c}.${d}`;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    dotted,
    `${dotted}.`,
    `${number}`,
    `0x${hex(number)}`,
    `0X${hex(number).toUpperCase()}`,
    `0x00000000${hex(number)}`,
    `0${number.toString(8)}`,
    `${a}.${number % 2 ** 24}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    fullWidth(dotted),
    dotted.replaceAll(".", "。"),
    dotted.replaceAll(".", "．"),
    dotted.replaceAll(".", "｡"),
    dotted.replaceAll(/\d/g, "%3$&"),
    dotted.replaceAll(".", "%2E"),
    ...mappedSpellings([a, b, c, d]),
  ];
}

/** The IPv6 coats of an IPv4 address that a socket takes off again. */
export function mappedSpellings([a = 0, b = 0, c = 0, d = 0]: Address): readonly string[] {
  return [
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${pair(a, b)}:${pair(c, d)}]`,
    `[::FFFF:${a}.${b}.${c}.${d}]`,
    `[0:0:0:0:0:ffff:${pair(a, b)}:${pair(c, d)}]`,
    `[0000:0000:0000:0000:0000:ffff:${pair(a, b).padStart(4, "0")}:${pair(c, d).padStart(4, "0")}]`,
  ];
}

/** IPv6 addresses that a translator or a tunnel turns into the IPv4 address. */
export function tunnelSpellings([a = 0, b = 0, c = 0, d = 0]: Address): readonly string[] {
  return [
    `[::${a}.${b}.${c}.${d}]`, // IPv4-compatible
    `[::ffff:0:${a}.${b}.${c}.${d}]`, // SIIT
    `[64:ff9b:1::${a}.${b}.${c}.${d}]`, // NAT64, local
    `[2002:${pair(a, b)}:${pair(c, d)}::]`, // 6to4
    `[2002:${pair(a, b)}:${pair(c, d)}:1::1]`,
    `[2001:0:${pair(a, b)}:${pair(c, d)}::]`, // Teredo, as its server
    `[2001::${pair(255 - a, 255 - b)}:${pair(255 - c, 255 - d)}]`, // Teredo, as its client
  ];
}

export function nat64Spellings([a = 0, b = 0, c = 0, d = 0]: Address): readonly string[] {
  return [`[64:ff9b::${a}.${b}.${c}.${d}]`, `[64:ff9b::${pair(a, b)}:${pair(c, d)}]`];
}

export function ipv6Spellings(bytes: Address): readonly string[] {
  const words = Array.from({ length: 8 }, (_, index) => pair(bytes[index * 2], bytes[index * 2 + 1]));
  const padded = words.map((word) => word.padStart(4, "0"));
  const tail = bytes.slice(12).join(".");
  return [
    `[${words.join(":")}]`,
    `[${words.join(":").toUpperCase()}]`,
    `[${padded.join(":")}]`,
    `[${words.slice(0, 6).join(":")}:${tail}]`,
    new URL(`http://[${words.join(":")}]/`).hostname,
  ];
}

/** One address from every IPv4 range that is set aside. */
export const HOSTILE_IPV4: readonly Address[] = [
  [0, 0, 0, 0],
  [0, 1, 2, 3],
  [10, 0, 0, 1],
  [100, 64, 0, 1],
  [100, 100, 100, 200],
  [127, 0, 0, 1],
  [127, 255, 255, 254],
  [168, 63, 129, 16],
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [172, 16, 0, 1],
  [172, 31, 255, 255],
  [192, 0, 0, 1],
  [192, 0, 0, 192],
  [192, 0, 2, 1],
  [192, 31, 196, 1],
  [192, 52, 193, 1],
  [192, 88, 99, 1],
  [192, 168, 1, 1],
  [192, 175, 48, 1],
  [198, 18, 0, 1],
  [198, 19, 255, 255],
  [198, 51, 100, 1],
  [203, 0, 113, 1],
  [224, 0, 0, 1],
  [239, 255, 255, 255],
  [240, 0, 0, 1],
  [255, 255, 255, 255],
];

export const HOSTILE_HOSTS = `
  127.1 127.0.1 0 0x0 00 0x7f.1 0177.1 017700000001 0x7f000001 2130706433 127.0.0.1. 0.0.0.0.
  [::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [::2] [::127.0.0.1] [::7f00:1]
  [64:ff9b:1::1] [64:ff9b:1:ffff:ffff:ffff:ffff:ffff] [64:ff9b:2::1] [100::1] [100:0:0:1::1] [200::1] [1fff::1]
  [2001::1] [2001:1::1] [2001:1::2] [2001:1::3] [2001:2::1] [2001:3::1] [2001:4:112::1] [2001:10::1] [2001:20::1]
  [2001:30::1] [2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff] [2001:db8::1] [2001:0db8:85a3::8a2e:370:7334]
  [2002::1] [2002:7f00:1::] [2620:4f:8000::1] [3fff::1] [3fff:fff::1] [4000::1] [5f00::1] [8000::1]
  [fc00::1] [fd00::1] [fd00:ec2::254] [fd00:ec2::23] [fd20:ce::254] [fdff:ffff::1]
  [fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [feff::1] [ff00::1] [ff02::1] [ff02::fb] [ff0e::1]
  [FE80::1] [FD00:EC2::254] [::FFFF:7F00:1] ⑯⑨.254.169.254 １２７.０.０.１ １２７。０。０。１ ⓪.⓪.⓪.⓪ ①②⑦.⓪.⓪.①
  [fe80::1%25eth0] [fe80::1%eth0] [::1%25lo] [::1%lo]
`
  .trim()
  .split(/\s+/);

/** The URL itself is not allowed, whatever its host. */
export const HOSTILE_URLS = [
  "http://user@shop.example/",
  "http://user:secret@shop.example/",
  "https://:secret@shop.example/",
  "http://shop.example@127.0.0.1:{port}/",
  "http://shop.example%40127.0.0.1:{port}/",
  "http://shop.example:80@127.0.0.1:{port}/",
  "http://127.0.0.1:{port}#@shop.example/",
  "http://127.0.0.1:{port}?@shop.example/",
  "http://127.0.0.1:{port}\\@shop.example/",
  "http:\\\\127.0.0.1:{port}\\",
  "http:/127.0.0.1:{port}/",
  "http:127.0.0.1:{port}/",
  "http:////127.0.0.1:{port}/",
  " \t http://127.0.0.1:{port}/ ",
  "ht\ntp://127.0.\t0.1:{port}/",
  "HTTP://127.0.0.1:{port}/",
  "https://127.0.0.1:{port}/",
  "file:///etc/passwd",
  "file://127.0.0.1/etc/passwd",
  "ftp://127.0.0.1:{port}/",
  "ftps://shop.example/feed.csv",
  "gopher://127.0.0.1:{port}/_GET%20/",
  "data:text/plain,hello",
  "dict://127.0.0.1:{port}/stat",
  "ldap://127.0.0.1:{port}/",
  "ws://127.0.0.1:{port}/",
  "unix:/var/run/docker.sock",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
  "javascript:alert(1)",
  "blob:http://127.0.0.1:{port}/1",
  "jar:http://127.0.0.1:{port}!/",
  "about:blank",
  "//127.0.0.1:{port}/",
  "127.0.0.1:{port}",
  "localhost:{port}",
  "http://",
  "http://:{port}/",
  "http://[::1/",
  "http://1.2.3.4.5/",
  "http://256.256.256.256/",
  "http://shop.example:99999/",
  "http://shop.example:22/",
  "http://shop.example:25/",
  "http://shop.example:53/",
  "http://shop.example:81/",
  "https://shop.example:993/",
  "https://shop.example:1023/",
  "http://8.8.8.8:22/",
  "http://[2606:4700:4700::1111]:25/",
  "",
] as const;

/** What a resolver might answer for a name; each of them must refuse the name. */
export const HOSTILE_ANSWERS: readonly (readonly string[])[] = [
  ["127.0.0.1"],
  ["127.8.8.8"],
  ["0.0.0.0"],
  ["10.1.2.3"],
  ["172.20.0.1"],
  ["192.168.0.10"],
  ["100.127.255.255"],
  ["169.254.169.254"],
  ["168.63.129.16"],
  ["::1"],
  ["::"],
  ["::ffff:127.0.0.1"],
  ["::ffff:7f00:1"],
  ["::127.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["64:ff9b::a9fe:a9fe"],
  ["2002:7f00:1::"],
  ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
  ["fd00:ec2::254"],
  ["fe80::1"],
  ["fe80::1%lo"],
  ["fe80::1%1"],
  ["::1%lo"],
  ["ff02::1"],
  ["93.184.215.14", "127.0.0.1"],
  ["127.0.0.1", "93.184.215.14"],
  ["93.184.215.14", "2606:4700:4700::1111", "10.0.0.1"],
  ["2606:4700:4700::1111", "::1"],
  ["2606:4700:4700::1111", "::ffff:10.0.0.1"],
  ["8.8.8.8", "not an address"],
  ["127.1"],
  ["2130706433"],
  [""],
];

/** Real addresses, among them those next to every reserved IPv4 range. */
export const PUBLIC_HOSTS = `
  1.0.0.0 1.1.1.1 8.8.8.8 9.9.9.9 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255
  192.0.1.0 192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0
  192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0
  203.0.112.255 203.0.114.0 223.255.255.255 134744072 0x08080808 010.010.010.010 8.526344 ８.８.８.８ 8。8。8。8
  [2000::1] [2001:200::1] [2001:4860:4860::8888] [2001:db7:ffff::1] [2001:db9::1] [2003::1] [2606:4700:4700::1111]
  [2620:4f:7fff::1] [2620:4f:8001::1] [2a00:1450:4001:81b::200e] [3ffe::1] [3fff:1000::1]
  [::ffff:8.8.8.8] [::ffff:808:808] [64:ff9b::8.8.8.8] [64:ff9b::5db8:d70e]
`
  .trim()
  .split(/\s+/);
