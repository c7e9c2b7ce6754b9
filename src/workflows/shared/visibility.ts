import type { SearchAttributePair } from '@temporalio/common'
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'

/**
 * Upserts the search attributes that change: each upsert is an event and a write to the visibility store, and the start of a
 * workflow sets most of them.
 */
export function upsertVisibility(attributes: SearchAttributePair[]): void {
  const { typedSearchAttributes: current } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => current.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
