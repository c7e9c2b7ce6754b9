import { sleep } from '@temporalio/workflow'

/** A workflow of any type as another release might have it: its first command is a timer, which no workflow of today begins with. */
export default async function waitForMonth(): Promise<void> {
  await sleep('30 days')
}
