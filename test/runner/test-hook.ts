/**
 * The async hook by which `node:test` finds the test that registers another one. It follows every promise, which takes
 * a fifth of the processor time of tests that mostly wait for a database. Loaded before `node:test` (see `run.ts`), so
 * that it can be switched off.
 */
import hooks from "node:async_hooks";

const created: hooks.AsyncHook[] = [];
const { createHook } = hooks;
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  created.push(hook);
  return hook;
};

/**
 * On while a file registers its tests. While they run, tests are registered by their own context alone: `t.test(…)`.
 */
export function followTests(isOn: boolean): void {
  for (const hook of created) {
    if (isOn) hook.enable();
    else hook.disable();
  }
}
