import { EXAMPLE_AUTHENTICATION, EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'

/** Tag of what is received. With a tag of paths, generators would write two clients into one file and keep the second. */
export const WEBHOOK_TAG = 'webhook-events'

/** Descriptions of the groups of operations in the OpenAPI document, by the tag of `findTag`, in the order of the document. */
export const TAG_DESCRIPTIONS: Record<string, string> = {
  payments:
    'Charges: a PIX code that a payer pays once. A charge that its provider cannot issue goes to the next default provider.',
  'qr-codes':
    'Static PIX codes of a counter, a card or a donation page: each PIX to one is a charge of its own, which is PAID from its beginning.',
  'payment-links':
    'Payment links: the address of a page that shows a charge, or that creates one for each payer who asks for a code.',
  recurrences:
    'Recurrences of Pix Automático: a payer authorizes once, and is debited each cycle by a charge of its own.',
  refunds: 'Refunds give the value of a paid charge back to its payer, whole or in parts, within 90 days.',
  deposits:
    'Deposits: received PIX that pay no charge. A PIX_TRANSACTION event announces each; it can be returned to its payer.',
  meds: 'Disputes of the Mecanismo Especial de Devolução (MED): the bank of a payer claims a payment back. The money stays blocked until the dispute is closed.',
  transfers:
    'Transfers send money from the balance to a PIX key, at once or at a planned time. An outcome that no provider has confirmed stays PROCESSING.',
  receipts: 'Receipts of settled money, which anybody who holds one can check.',
  limits:
    'What the account may send: per transfer, day, night and receiver. A change that allows less acts at once, one that allows more after 24 hours.',
  banks: 'Institutions that a transfer may go to.',
  'pix-keys': 'PIX keys of the account at its NOMINAL providers.',
  providers: 'Providers of the account, their balances, and the order in which they are tried.',
  webhooks:
    'Endpoints of the merchant that receive signed events, and the deliveries to them. Provider-bound tokens are refused.',
  events: 'Events of the last 30 days, as webhooks received them.',
  ledger: 'The account statement: every change of the available balance.',
  reports: 'Reports: files of what moved on some days, made in the background and kept for 30 days.',
  reconciliations:
    'Reconciliation: what the comparison with the statements and balances of providers has found. Read-only.',
  health: 'Whether a process runs and can serve requests.',
  [WEBHOOK_TAG]: 'What the endpoints of the merchant receive: one signed request per event.',
}

/** Path parameters by their name, and `uuid` by the tag of its path. */
const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  payments: { description: 'Uuid of the charge', example: EXAMPLE_UUIDS.charge },
  'qr-codes': { description: 'Uuid of the QR code', example: EXAMPLE_UUIDS.qrCode },
  'payment-links': { description: 'Uuid of the payment link', example: EXAMPLE_UUIDS.paymentLink },
  recurrences: { description: 'Uuid of the recurrence', example: EXAMPLE_UUIDS.recurrence },
  refunds: { description: 'Uuid of the charge', example: EXAMPLE_UUIDS.charge },
  deposits: { description: 'Uuid of the deposit', example: EXAMPLE_UUIDS.deposit },
  meds: { description: 'Uuid of the dispute', example: EXAMPLE_UUIDS.dispute },
  transfers: { description: 'Uuid of the transfer', example: EXAMPLE_UUIDS.transfer },
  providers: { description: 'Uuid of the provider', example: EXAMPLE_UUIDS.provider },
  'pix-keys': { description: 'Uuid of the look-up', example: EXAMPLE_UUIDS.keyLookup },
  webhooks: { description: 'Uuid of the webhook', example: EXAMPLE_UUIDS.webhook },
  refund: { description: 'Uuid of the refund', example: EXAMPLE_UUIDS.refund },
  reading: { description: 'Uuid of the reading', example: EXAMPLE_UUIDS.codeReading },
  batch: { description: 'Uuid of the batch', example: EXAMPLE_UUIDS.transferBatch },
  reconciliations: { description: 'Uuid of the provider', example: EXAMPLE_UUIDS.provider },
  reports: { description: 'Uuid of the report', example: EXAMPLE_UUIDS.report },
  delivery: { description: 'Uuid of the delivery', example: EXAMPLE_UUIDS.delivery },
  authentication: {
    description: 'Authentication code of the receipt',
    example: EXAMPLE_AUTHENTICATION,
  },
  id: { description: 'Id of the event, the `webhook-id` of its deliveries', example: EXAMPLE_UUIDS.event },
  key: {
    description: 'The key, URL-encoded: `@` as `%40`, `+` as `%2B`',
    example: 'contato@lojadaana.example.com',
  },
}

/** Describes a path parameter by its name, or by the resource that the path belongs to. */
export function describePathParameter(path: string, name: string) {
  return PATH_PARAMETERS[name] ?? PATH_PARAMETERS[findTag(path)]
}

/** Finds the tag of a path: its resource, also where refunds are under their charge. */
export function findTag(path: string): string {
  if (/\/refunds?(\/|$)/.test(path)) return 'refunds'
  return /^\/api\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'health'
}
