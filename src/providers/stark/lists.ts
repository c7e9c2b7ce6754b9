import type { z } from 'zod'
import {
  starkDepositSchema,
  starkInvoiceSchema,
  starkPullRequestSchema,
  starkSubscriptionSchema,
  starkTransactionSchema,
  starkTransferSchema,
  starkVerifiedAccountSchema,
  starkWebhookSchema,
  starkWorkspaceSchema,
} from './schemas.ts'

/** Describes a list of entities, which are its items as they are and are known by their ids; its reader adds the call and a filter. */
export function describeStarkList<Entity extends { id: string }>(
  path: string,
  field: string,
  row: z.ZodType<Entity>,
) {
  return { path, field, row, toItem: (entity: Entity) => entity, keyOf: ({ id }: Entity) => id }
}

export const STARK_LISTS = {
  deposits: describeStarkList('/v2/deposit', 'deposits', starkDepositSchema),
  invoices: describeStarkList('/v2/invoice', 'invoices', starkInvoiceSchema),
  pullRequests: describeStarkList('/v2/invoice-pull-request', 'requests', starkPullRequestSchema),
  subscriptions: describeStarkList('/v2/invoice-pull-subscription', 'subscriptions', starkSubscriptionSchema),
  transactions: describeStarkList('/v2/transaction', 'transactions', starkTransactionSchema),
  transfers: describeStarkList('/v2/transfer', 'transfers', starkTransferSchema),
  verifiedAccounts: describeStarkList('/v2/verified-account', 'accounts', starkVerifiedAccountSchema),
  webhooks: describeStarkList('/v2/webhook', 'webhooks', starkWebhookSchema),
  workspaces: describeStarkList('/v2/workspace', 'workspaces', starkWorkspaceSchema),
}
