import type { AuthCodeInput, PixKeyInput } from '../workflows/contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { startAndAwaitWorkflow, type UpdateRequest } from './start.ts'
import type { TemporalContext } from './workflow-options.ts'

/**
 * Client calls that start workflows of PIX keys, or join the running ones; safe to repeat. Ids, summaries and search
 * attributes contain no key and no address.
 */

/** Starts or joins the workflow that creates a PIX key; resolves when the key is created or cannot be. */
export function startPixKeyWorkflow(temporal: TemporalContext, input: PixKeyInput, waitMs: number) {
  const metadata = buildKeyWorkflowMetadata(input, `PIX key, ${input.type}`)
  return startAndAwaitWorkflow(temporal, 'pix_key', input, { ...metadata, updateId: input.uuid, waitMs })
}

export type PixKeyRemovalRequest = Pick<PixKeyInput, 'uuid' | 'accountUuid' | 'connectionUuid' | 'requestId'>

/**
 * Starts or joins the workflow that removes a PIX key; resolves when the key is removed or stays. A failed removal
 * may be requested again.
 */
export function startPixKeyRemovalWorkflow(
  temporal: TemporalContext,
  removal: PixKeyRemovalRequest,
  request: UpdateRequest,
): Promise<void> {
  const input = { uuid: removal.uuid, timeScale: temporal.timeScale }
  return startAndAwaitWorkflow(temporal, 'pix_key_removal', input, {
    ...buildKeyWorkflowMetadata(removal, 'Removal of a PIX key'),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...request,
  })
}

/** Starts or joins the workflow of an auth code; resolves when the code is stored. */
export function startAuthCodeWorkflow(
  temporal: TemporalContext,
  input: AuthCodeInput,
  waitMs: number,
): Promise<void> {
  const metadata = buildKeyWorkflowMetadata(input, `Code for a key, ${input.type}`)
  return startAndAwaitWorkflow(temporal, 'auth_code', input, {
    ...metadata,
    updateId: input.uuid,
    waitMs,
  })
}

function buildKeyWorkflowMetadata(
  request: { accountUuid: string; connectionUuid?: string; requestId: string },
  staticSummary: string,
) {
  const { accountUuid, connectionUuid, requestId } = request
  return {
    memo: { requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: accountUuid },
      ...(connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: connectionUuid }] : []),
    ],
    staticSummary,
  }
}
