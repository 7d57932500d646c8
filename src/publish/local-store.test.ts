import { closeAfterTests } from "../../test/close-after.ts";
import { tempDir } from "../../test/fresh.ts";
import { testStore } from "./file-store.fixture.ts";
import { openStore } from "./open-store.ts";

const temp = closeAfterTests(await tempDir());

testStore(openStore(temp.path), openStore);
