import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'

/** Addresses of pages of the Temporal UI. */

type TemporalUi = { uiUrl: string; namespace: string }

/** Only workflows of accounts have this attribute: the list of a namespace is mostly the runs of schedules. */
const ACCOUNT_WORKFLOWS_QUERY = `${SEARCH_ATTRIBUTES.account.name} IS NOT NULL`

/** Builds the address of one workflow. */
export function buildWorkflowUrl({ uiUrl, namespace }: TemporalUi, workflowId: string): string {
  return `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
}

/** Builds the address of the list of all workflows of accounts, without those of schedules. */
export function buildAccountWorkflowsUrl({ uiUrl, namespace }: TemporalUi): string {
  return `${uiUrl}/namespaces/${namespace}/workflows?query=${encodeURIComponent(ACCOUNT_WORKFLOWS_QUERY)}`
}
