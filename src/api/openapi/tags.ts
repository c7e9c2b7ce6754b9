import { EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'

/** Groups of operations in the OpenAPI document, in its order. One pattern matches each path. */
export const OPENAPI_TAGS = [
  {
    name: 'payments',
    paths: /^\/api\/v1\/payments\b(?!\/:uuid\/refund)/,
    description:
      'Charges: a PIX code that a payer pays once. A charge that its provider cannot issue goes to the next default provider.',
  },
  {
    name: 'refunds',
    paths: /^\/api\/v1\/(payments\/:uuid\/refunds?|refunds)\b/,
    description:
      'Refunds give the value of a paid charge back to its payer, whole or in parts, within 90 days.',
  },
  {
    name: 'deposits',
    paths: /^\/api\/v1\/deposits\b/,
    description:
      'Deposits: received PIX that pay no charge. A PIX_TRANSACTION event announces each; it can be returned to its payer.',
  },
  {
    name: 'meds',
    paths: /^\/api\/v1\/meds\b/,
    description:
      'Disputes of the Mecanismo Especial de Devolução (MED): the bank of a payer claims a payment back. The money stays blocked until the dispute is closed.',
  },
  {
    name: 'transfers',
    paths: /^\/api\/v1\/transfers\b/,
    description:
      'Transfers send money from the balance to a PIX key, at once or at a planned time. An outcome that no provider has confirmed stays PROCESSING.',
  },
  {
    name: 'pix-keys',
    paths: /^\/api\/v1\/pix-keys\b/,
    description: 'PIX keys of the account at its NOMINAL providers.',
  },
  {
    name: 'providers',
    paths: /^\/api\/v1\/providers\b/,
    description: 'Providers of the account, their balances, and the order in which they are tried.',
  },
  {
    name: 'webhooks',
    paths: /^\/api\/v1\/webhooks\b/,
    description:
      'Endpoints of the merchant that receive signed events, and the deliveries to them. Provider-bound tokens are refused.',
  },
  {
    name: 'events',
    paths: /^\/api\/v1\/events\b/,
    description: 'Events of the last 30 days, as webhooks received them.',
  },
  {
    name: 'ledger',
    paths: /^\/api\/v1\/ledger\b/,
    description: 'The account statement: every change of the available balance.',
  },
  { name: 'health', paths: /^\/\w+z$/, description: 'Whether a process runs and can serve requests.' },
] as const

/** Path parameters by their name, and `uuid` by the tag of its path. */
const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  payments: { description: 'Uuid of the charge', example: EXAMPLE_UUIDS.charge },
  refunds: { description: 'Uuid of the charge', example: EXAMPLE_UUIDS.charge },
  deposits: { description: 'Uuid of the deposit', example: EXAMPLE_UUIDS.deposit },
  meds: { description: 'Uuid of the dispute', example: EXAMPLE_UUIDS.dispute },
  transfers: { description: 'Uuid of the transfer', example: EXAMPLE_UUIDS.transfer },
  providers: { description: 'Uuid of the provider', example: EXAMPLE_UUIDS.provider },
  webhooks: { description: 'Uuid of the webhook', example: EXAMPLE_UUIDS.webhook },
  refund: { description: 'Uuid of the refund', example: EXAMPLE_UUIDS.refund },
  delivery: { description: 'Uuid of the delivery', example: EXAMPLE_UUIDS.delivery },
  id: { description: 'Id of the event, the `webhook-id` of its deliveries', example: EXAMPLE_UUIDS.event },
  key: {
    description: 'The key, URL-encoded: `@` as `%40`, `+` as `%2B`',
    example: 'contato@lojadaana.example.com',
  },
}

/** Describes a path parameter by its name, or by the resource that the path belongs to. */
export function describePathParameter(path: string, name: string) {
  return PATH_PARAMETERS[name] ?? PATH_PARAMETERS[findTag(path)?.name ?? '']
}

export function findTag(path: string) {
  return OPENAPI_TAGS.find(({ paths }) => paths.test(path))
}
