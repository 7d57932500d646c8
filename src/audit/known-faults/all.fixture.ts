import { CONTENT_FAULTS } from "./content.fixture.ts";
import { ELIGIBILITY_FAULTS } from "./eligibility.fixture.ts";
import type { KnownFault } from "./fault.fixture.ts";
import { IDENTITY_FAULTS } from "./identity.fixture.ts";
import { OFFER_FAULTS } from "./offer.fixture.ts";

export const KNOWN_FAULTS: readonly KnownFault[] = [
  ...ELIGIBILITY_FAULTS,
  ...IDENTITY_FAULTS,
  ...OFFER_FAULTS,
  ...CONTENT_FAULTS,
];
