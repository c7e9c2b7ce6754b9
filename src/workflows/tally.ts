import { records } from './activities.ts'

/** Folds what has changed into the tallies that lists are counted by; a schedule runs it. */
export async function tallyWorkflow(): Promise<number> {
  return records.foldTallies()
}
