import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import { type NamedHistory, prepareReplay, replayFailures } from '../support/history-replay.ts'
import type { FinalState } from './final-state.ts'
import type { StackClients } from './stack-clients.ts'

/** Histories fetched and held at once. */
const BATCH_SIZE = 200

/** The histories that the workflow code does not reproduce, as Temporal's JSON, by workflow id. */
export type FailedReplays = { failures: FinalState['failedReplays']; histories: Map<string, string> }

/**
 * Replays the latest run of every given workflow. Most workflows stay in the cache of their worker and are never replayed in
 * production until a worker dies, so that an error of determinism would show itself only then.
 */
export async function findFailedReplays(site: StackClients, workflowIds: string[]): Promise<FailedReplays> {
  const bundle = await prepareReplay()
  const result: FailedReplays = { failures: [], histories: new Map() }
  for (let from = 0; from < workflowIds.length; from += BATCH_SIZE) {
    const texts = await site.histories(workflowIds.slice(from, from + BATCH_SIZE))
    for await (const { workflowId, error } of replayFailures(bundle, parseHistories(texts))) {
      result.failures.push({ workflowId, error: error.message })
      result.histories.set(workflowId, texts.get(workflowId)!)
    }
  }
  return result
}

function* parseHistories(texts: Map<string, string>): Generator<NamedHistory> {
  for (const [workflowId, text] of texts) yield { workflowId, history: historyFromJSON(JSON.parse(text)) }
}
