import { startRecovery } from '../api/operations/webhook-deliveries.ts'
import { updateWebhook, type WebhookDependencies } from '../api/operations/webhooks.ts'
import type { EntityManager } from '../db/client/orm.ts'
import type { Webhook } from '../db/entities/webhook.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'

/**
 * Sends an endpoint again what it has missed since a moment, and enables it where it is disabled. Recorded before its first
 * step: the handshake with the endpoint, or the start of the workflow.
 */
export async function recoverWebhook(
  { temporal, tools }: { temporal: TemporalContext; tools: WebhookDependencies },
  em: EntityManager,
  order: ActionAuthor & { webhook: Webhook; since: Date },
): Promise<void> {
  const { webhook, since } = order
  await temporal.client() // Throws here while Temporal is unreachable, before anything is recorded.
  await runAuditedAction(em, { by: order, action: 'resend', subject: `endpoint/${webhook.uuid}` })
  if (webhook.status === 'DISABLED') await updateWebhook(em, webhook, { status: 'ACTIVE' }, tools)
  await startRecovery(temporal, { em, reference: webhook, since })
}
