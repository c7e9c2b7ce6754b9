import {
  PIX_KEY_REMOVAL_WORKFLOW,
  PIX_KEY_WORKFLOW,
  type PixKeyInput,
  type PixKeyRemovalWorkflowSignature,
  type PixKeyWorkflowSignature,
  pixKeyRemovalWorkflowId,
  pixKeyWorkflowId,
  VERIFICATION_CODE_WORKFLOW,
  type VerificationCodeInput,
  type VerificationCodeWorkflowSignature,
  verificationCodeWorkflowId,
} from '../workflows/contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { startAndAwaitUpdate } from './start.ts'
import type { TemporalContext, WorkflowMetadata } from './workflow-options.ts'

/**
 * Client calls that start workflows of PIX keys, or join the running ones; safe to repeat. Ids, summaries and search
 * attributes contain no key and no address.
 */

/** Starts or joins the workflow that creates a PIX key; resolves when the key is created or cannot be. */
export function startPixKeyWorkflow(temporal: TemporalContext, input: PixKeyInput, waitMs: number) {
  return startAndAwaitUpdate<PixKeyWorkflowSignature>(temporal, PIX_KEY_WORKFLOW, {
    ...buildKeyWorkflowMetadata(pixKeyWorkflowId(input.uuid), input, `PIX key, ${input.type}`),
    args: [input],
    updateId: input.uuid,
    waitMs,
  })
}

export type PixKeyRemovalRequest = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  requestId: string
}

/**
 * Starts or joins the workflow that removes a PIX key; resolves when the key is removed or stays. A failed removal
 * may be requested again.
 */
export function startPixKeyRemovalWorkflow(
  temporal: TemporalContext,
  removal: PixKeyRemovalRequest,
  { updateId, waitMs }: { updateId: string; waitMs: number },
): Promise<void> {
  return startAndAwaitUpdate<PixKeyRemovalWorkflowSignature>(temporal, PIX_KEY_REMOVAL_WORKFLOW, {
    ...buildKeyWorkflowMetadata(pixKeyRemovalWorkflowId(removal.uuid), removal, 'Removal of a PIX key'),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [{ uuid: removal.uuid, timeScale: temporal.timeScale }],
    updateId,
    waitMs,
  })
}

/** Starts or joins the workflow of a verification code; resolves when the code is stored. */
export function startVerificationCodeWorkflow(
  temporal: TemporalContext,
  input: VerificationCodeInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitUpdate<VerificationCodeWorkflowSignature>(temporal, VERIFICATION_CODE_WORKFLOW, {
    ...buildKeyWorkflowMetadata(
      verificationCodeWorkflowId(input.uuid),
      input,
      `Code for a key, ${input.type}`,
    ),
    args: [input],
    updateId: input.uuid,
    waitMs,
  })
}

/** Builds the id, memo, summary and search attributes of a workflow of PIX keys. */
function buildKeyWorkflowMetadata(
  workflowId: string,
  request: { accountUuid: string; connectionUuid?: string; requestId: string },
  staticSummary: string,
): WorkflowMetadata {
  const { accountUuid, connectionUuid, requestId } = request
  return {
    workflowId,
    memo: { requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: accountUuid },
      ...(connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: connectionUuid }] : []),
    ],
    staticSummary,
  }
}
