import { type ContractRequest, type ContractResponse, openContract } from './openapi-contract.ts'

/**
 * What Woovi's document says against its own examples and texts, or against Woovi's other pages; whoever follows those violates it.
 * Each pattern is of one violation behind its method and path.
 */
const DEFECTS = [
  // Operations of other pages: several accounts, disputes in funds recoveries, files. That of evidence is published as `/:id/`.
  /^\w+ \/api\/v1\/(?:account|files|funds-recovery\/[^/]+\/[\w-]+|dispute\/[^/]+\/evidence): .*no such operation$/,
  // Each list answers `pageInfo` with `skip` and `limit`, and "Como consultar e listar Pagamentos?" has the period.
  /^GET \S+: (?:skip|limit|start|end): no such parameter$/,
  // "You must send at least one of the following combinations" is written as `oneOf`, and its example has all.
  /^POST \/api\/v1\/charge: \/customer must match exactly one schema in oneOf/,
  // A random key is the bank's to choose, and keys of four kinds are listed by the same document.
  /^POST \/api\/v1\/pix-keys: body must have required property 'key'/,
  /^POST \/api\/v1\/pix-keys: \/type must be equal to one of the allowed values .*\["CNPJ","EVP"\]/,
  // A lookup of a funds recovery by the end-to-end id of its PIX.
  /^GET \/api\/v1\/funds-recovery\/E\w+: id: \/value must match format "uuid"/,
  // Null in the examples.
  /\/(?:customer|charge|authorization) must be (?:object|string) /,
  /^POST \/api\/v1\/webhook: \/pix(?:\/pixQrCode|QrCode) must be object /,
  // A number in the examples.
  /\/(?:charge\/expiresIn|pixQrCodes?(?:\/\d+)?\/value|pix\/value) must be string /,
  // The values of `type` and `status` are swapped in the document.
  /\/transactions?(?:\/\d+)?\/(?:type|status) must be equal to one of the allowed values/,
  // "INACTIVE: Assinatura cancelada" ("Máquina de Estados do Pix Automático").
  /\/subscriptions?(?:\/\d+)?\/status must be equal to one of the allowed values/,
  // The example of an approval has APPROVED, and the pages on payments have more; so have those on disputes.
  /\/payment\/status must be equal to one of the allowed values/,
  /\/disputes\/\d+\/status must be equal to one of the allowed values/,
]

const contract = openContract('woovi.json')

/** Lists how a request violates Woovi's OpenAPI document where that does not contradict Woovi itself. */
export function findWooviRequestViolations(request: ContractRequest): string[] {
  return keepViolations(request, contract.validateRequest(request))
}

/** Lists how a response violates Woovi's OpenAPI document where that does not contradict Woovi itself. */
export function findWooviResponseViolations(response: ContractResponse): string[] {
  return keepViolations(response, contract.validateResponse(response))
}

/** A notification of Woovi's, as it is sent; the document has no field for the event, nor for the account. */
export type WooviNotificationBody = {
  event?: string | undefined
  charge?: object | null
  pix?: object | null
  pixQrCode?: object | null
} & Record<string, unknown>

const REGISTRATION = { method: 'POST', path: '/api/v1/webhook' }

/** Look-ups whose answers have the objects of the notifications that the document has no callback for. */
const LOOK_UPS: Record<string, (body: WooviNotificationBody) => { path: string; body: object }> = {
  charge: ({ charge }) => ({ path: '/api/v1/charge/id', body: { charge } }),
  payment: ({ payment, transaction }) => ({ path: '/api/v1/payment/id', body: { payment, transaction } }),
  originalTransaction: ({ originalTransaction: transaction }) => ({
    path: '/api/v1/transaction/id',
    body: { transaction },
  }),
  refundTransaction: ({ refundTransaction: transaction }) => ({
    path: '/api/v1/transaction/id',
    body: { transaction },
  }),
  dispute: ({ dispute }) => ({ path: '/api/v1/dispute', body: { disputes: [dispute] } }),
  // These notifications are the subscription and the installment themselves.
  pixRecurring: subscription => ({ path: '/api/v1/subscriptions/id', body: { subscription } }),
  cobr: installment => ({ path: '/api/v1/installments/id', body: { installment } }),
}

/**
 * Lists how a notification violates Woovi's OpenAPI document where that does not contradict Woovi itself: one of a received PIX the
 * callback of what was paid, any other the look-ups of its objects, and each the events that a webhook may be registered for.
 */
export function findWooviNotificationViolations(body: WooviNotificationBody): string[] {
  const { event, charge, pix, pixQrCode } = body
  const isNamed = event === undefined || contract.validateRequest(registerFor(event)).length === 0
  const violations = isNamed ? [] : [`POST ${REGISTRATION.path}: no such event as ${event}`]
  if (pix) {
    const callback = charge ? 'receivedPix' : pixQrCode ? 'receivedPixQrCode' : 'receivedPixDetached'
    return [
      ...violations,
      ...keepViolations(REGISTRATION, contract.validateCallback({ ...REGISTRATION, body }, callback)),
    ]
  }
  const objects = Object.keys(LOOK_UPS).filter(field => body[field])
  if (objects.length === 0) violations.push("no object of Woovi's document")
  for (const field of objects)
    violations.push(...findWooviResponseViolations({ method: 'GET', status: 200, ...LOOK_UPS[field]!(body) }))
  return violations
}

function registerFor(event: string): ContractRequest {
  return { ...REGISTRATION, body: { webhook: { name: 'name', event, url: 'https://example.com' } } }
}

function keepViolations({ method, path }: ContractRequest, violations: string[]): string[] {
  return violations
    .map(violation => `${method} ${path}: ${violation}`)
    .filter(violation => !DEFECTS.some(defect => defect.test(violation)))
}
