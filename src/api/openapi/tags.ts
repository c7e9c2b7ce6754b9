import { EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'

/** Groups of operations in the OpenAPI document, in its order. The first one whose pattern matches a path has it. */
export const OPENAPI_TAGS = [
  {
    name: 'refunds',
    paths: /^\/api\/v1\/(payments\/:uuid\/refunds?|refunds)\b/,
    description:
      'Refunds give the value of a paid charge back to its payer, whole or in parts, within 90 days.',
  },
  {
    name: 'payments',
    paths: /^\/api\/v1\/payments\b/,
    description:
      'Charges: a PIX code that a payer pays once. A charge that its provider cannot issue goes to the next default provider.',
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

/** Examples of path parameters: `uuid` by the tag of its path. */
const PATH_EXAMPLES: Record<string, string> = {
  payments: EXAMPLE_UUIDS.charge,
  refunds: EXAMPLE_UUIDS.charge,
  meds: EXAMPLE_UUIDS.dispute,
  transfers: EXAMPLE_UUIDS.transfer,
  providers: EXAMPLE_UUIDS.provider,
  webhooks: EXAMPLE_UUIDS.webhook,
  refund: EXAMPLE_UUIDS.refund,
  delivery: EXAMPLE_UUIDS.delivery,
  id: EXAMPLE_UUIDS.event,
  key: 'contato@lojadaana.example.com',
}

/** Finds the example of a path parameter: of its name, or of the resource that the path belongs to. */
export function findPathExample(path: string, name: string): string | undefined {
  return PATH_EXAMPLES[name] ?? PATH_EXAMPLES[findTag(path)?.name ?? '']
}

export function findTag(path: string) {
  return OPENAPI_TAGS.find(({ paths }) => paths.test(path))
}
