import type { ProviderOperation } from '../../faults.ts'
import type { FailureResponses, SimulatedResponse } from '../../provider-calls.ts'
import {
  BANK_PROXY_RESPONSES,
  type BacenViolation,
  bacenAccessDenied,
  bacenInternalError,
  bacenNotFound,
  bacenServiceUnavailable,
  bacenUnlistedRefusal,
  buildBacenProblem,
} from '../bacen/problems.ts'
import { addCorrelationId, createBacenDueRefusals, createBacenRefusals } from '../bacen/refusals.ts'

// Sicoob's errors: problems with a `correlationId` (API PIX 2.0.23.28, Pagamentos PIX 2.0.24.6), "SicoobMensagem" of the
// current account (Conta Corrente 2.1.1.43), and the gateway's, which those documents do not list.

export const sicoobRefusals = createBacenRefusals(addCorrelationId)
export const sicoobDueRefusals = createBacenDueRefusals(addCorrelationId)
const sicoobAccessDenied = () => addCorrelationId(bacenAccessDenied())
export const sicoobPaymentNotFound = () => addCorrelationId(bacenNotFound())
export const paymentInvalid = (...violacoes: BacenViolation[]) =>
  addCorrelationId(
    buildBacenProblem(400, 'RequisicaoInvalida', {
      title: 'Requisição inválida.',
      detail: 'A requisição possui dados inválidos.',
      violacoes,
    }),
  )
export const sicoobMalformedJson = () =>
  paymentInvalid({ razao: 'O corpo da requisição não é um JSON válido.', propriedade: 'body' })

export const buildSicoobMessage = (status: number, codigo: string, mensagem: string): SimulatedResponse => ({
  status,
  body: { codigo, mensagem },
})

/** Builds an error of the token endpoint (RFC 6749, section 5.2). */
const buildTokenError = (status: number, error: string, error_description: string): SimulatedResponse => ({
  status,
  body: { error, error_description },
})
const unauthorized = (): SimulatedResponse => ({
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  body: {
    httpCode: '401',
    httpMessage: 'Unauthorized',
    moreInformation: 'Invalid or expired access token, or a certificate that it was not issued for.',
  },
})

/** Refusals of tokens, and of calls by them. */
export const sicoobTokenRefusals = {
  invalidClient: () => buildTokenError(401, 'invalid_client', 'Invalid client or Invalid client credentials'),
  certificateMissing: () =>
    buildTokenError(401, 'invalid_client', 'Client certificate missing or not of a known authority'),
  unsupportedGrant: () => buildTokenError(400, 'unsupported_grant_type', 'Unsupported grant_type'),
  invalidScope: (scope: string) => buildTokenError(400, 'invalid_scope', `Invalid scopes: ${scope}`),
  invalidToken: unauthorized,
  scopeMissing: sicoobAccessDenied,
}

const tooManyRequests = (): SimulatedResponse => ({
  status: 429,
  headers: { 'Retry-After': '1' },
  body: { httpCode: '429', httpMessage: 'Too Many Requests', moreInformation: 'Rate Limit exceeded' },
})
const unknownRoute = (): SimulatedResponse => ({
  status: 404,
  body: { httpCode: '404', httpMessage: 'Not Found', moreInformation: 'No resources match requested URI' },
})

/** Answers that no document of Sicoob lists. */
const UNLISTED_REFUSALS: readonly SimulatedResponse[] = [
  addCorrelationId(bacenUnlistedRefusal()),
  addCorrelationId(
    buildBacenProblem(409, 'ConflitoDeOperacao', {
      title: 'Conflito',
      detail: 'A operação já está em andamento.',
    }),
  ),
  buildSicoobMessage(400, '9999', 'Erro inesperado. Tente novamente.'),
  { status: 400, body: { mensagens: [{ codigo: '5000', mensagem: 'Operação não realizada' }] } },
  ...BANK_PROXY_RESPONSES,
  { status: 403, body: { httpCode: '403', httpMessage: 'Forbidden', moreInformation: 'Blocked by policy' } },
]

/** Builds a refusal that is documented for the call and has its cause at Sicoob or in the permissions of the client. */
function buildDocumentedRefusal(operation: ProviderOperation): SimulatedResponse {
  switch (operation) {
    case 'prepareTransfer':
      // The only problem of the description's 400.
      return addCorrelationId({ ...bacenServiceUnavailable(), status: 400 })
    case 'sendTransfer':
      return paymentInvalid({
        razao: "Dados do campo 'origem' precisam ser preenchidos manualmente.",
        propriedade: 'origem',
      })
    case 'balances':
    case 'statement':
      return buildSicoobMessage(400, '4031', 'Conta não habilitada para o serviço.')
    case 'authenticate':
      return buildTokenError(401, 'unauthorized_client', 'Client not enabled')
    default:
      return sicoobAccessDenied()
  }
}

/** Sicoob's responses for faults. */
export const sicoobFailures: FailureResponses = {
  documentedRefusal: buildDocumentedRefusal,
  tooManyRequests,
  internalError: () => addCorrelationId(bacenInternalError()),
  otherCertificate: unauthorized,
  unknownRoute,
  unlistedRefusals: UNLISTED_REFUSALS,
}
/** Responses for faults of the current account's API, which has messages in the place of problems. */
export const sicoobAccountFailures: FailureResponses = {
  ...sicoobFailures,
  internalError: () => buildSicoobMessage(500, '5000', 'Erro interno de servidor'),
}
