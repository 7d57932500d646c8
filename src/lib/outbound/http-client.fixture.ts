/** For tests of the HTTP clients: a client that may call servers on loopback, and a certificate for them. */
import type { TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type HttpClient, type HttpClientOptions, httpClient } from "./http-client.ts";

/** May call 127.0.0.1 and, by their names, shop.test and other.test, which are both there. */
export function testClient(options: Partial<HttpClientOptions> = {}): HttpClient & AsyncDisposable {
  const client = httpClient({
    allowPrivate: ["127.0.0.1", "shop.test", "other.test"],
    userAgent: "shelfwire-test",
    lookup: async () => ["127.0.0.1"],
    ...options,
  });
  return { ...client, [Symbol.asyncDispose]: client.close };
}

/** A self-signed certificate for shop.test and its key. They guard nothing. */
const SHOP_TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsyyilf5X5wGPxJNc
NDbEg/epbUGLYVVT8citA1hcn7qhRANCAAS3SNoxh4Snn7oHmwZp/8FpAmnhXdhS
u3q3+JYzaeqmOL6rIwfJoW4TdpacnU5VJzXqFYH5tpW0IqYdtoEs5G18
-----END PRIVATE KEY-----
`;

const SHOP_TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlzaG9wLnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CXNob3AudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLdI2jGHhKefugeb
Bmn/wWkCaeFd2FK7erf4ljNp6qY4vqsjB8mhbhN2lpydTlUnNeoVgfm2lbQiph22
gSzkbXyjSDBGMBQGA1UdEQQNMAuCCXNob3AudGVzdDAPBgNVHRMBAf8EBTADAQH/
MB0GA1UdDgQWBBQOOM1MvH3usbcSidmmOaX25WPcgTAKBggqhkjOPQQDAgNIADBF
AiB4K7951EGa6ckKaS2KLP6unl5oOTH2vZ3ZaoWyld/ZKwIhALF2tstTmnY+Tnr3
J8Q62qalBQzBXfzAawSlKCoUp3iZ
-----END CERTIFICATE-----
`;

export const SHOP_TEST_TLS = { key: SHOP_TEST_KEY, cert: SHOP_TEST_CERTIFICATE };

/** Until the test ends, the certificate is trusted. */
export function trustShopTest(context: TestContext): void {
  const usual = getCACertificates("default");
  setDefaultCACertificates([...usual, SHOP_TEST_CERTIFICATE]);
  context.after(() => setDefaultCACertificates(usual));
}
