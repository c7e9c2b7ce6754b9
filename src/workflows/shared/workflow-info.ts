import type { SearchAttributePair } from '@temporalio/common'
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'

/**
 * Tells whether the history has grown so long that the workflow should continue as new, before Temporal ends it at 51,200 events.
 * A run that may still send passes its order on, so that it is found whichever of its runs Temporal has deleted.
 */
export function shouldContinueAsNew(): boolean {
  return workflowInfo().continueAsNewSuggested
}

/**
 * Upserts the search attributes that change: each upsert is an event and a write to the visibility store, and the start of a
 * workflow sets most of them.
 */
export function upsertVisibility(attributes: SearchAttributePair[]): void {
  const { typedSearchAttributes: current } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => current.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
