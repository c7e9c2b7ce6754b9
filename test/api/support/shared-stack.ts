import { type Stack, startStack } from '../../support/stack.ts'

/** Waits of minutes pass in seconds, and no provider call that needs a second is given up. */
const TIME_SCALE = 50

/** Where the suites find the shared stack: its home. */
export const HOME_VARIABLE = 'TRILHO_TEST_SHARED_HOME'

declare global {
  var sharedStack: Stack | undefined
}

/** Before the first suite of the project: one stack for all suites that do not kill it, as `npm start` runs it. */
export default async function startSharedStack(): Promise<void> {
  globalThis.sharedStack = await startStack({ timeScale: TIME_SCALE })
  process.env[HOME_VARIABLE] = globalThis.sharedStack.home.folder
}
