import { detectContentType, type FailureResponses, type SimulatedResponse } from '../../provider-calls.ts'

// Woovi's errors: `{error}`, with `errorCode` if there is a code, or `{errors: [{message}]}` for fields. Texts and codes are
// those of its public documentation and of answers that its users have published; the others imitate them.

const buildWooviError = (error: string, errorCode?: string): SimulatedResponse => ({
  status: 400,
  body: { error, ...(errorCode ? { errorCode } : {}) },
})

/** Builds a response of a proxy in front of the API. */
const buildProxyResponse = (status: number, text: string): SimulatedResponse => ({
  status,
  body: text,
  headers: { 'content-type': detectContentType(text) },
})

export const invalidAppId = (): SimulatedResponse => ({
  status: 401,
  body: { data: null, errors: [{ message: 'appID inválido' }] },
})
export const wooviMalformedJson = () => buildWooviError('Payload JSON inválido')
export const wooviInvalidFields = (messages: string[]): SimulatedResponse => ({
  status: 400,
  body: { errors: messages.map(message => ({ message })) },
})
/** Refuses the account of another company, in the words of "Consultar limites da conta". */
export const accountIdInvalid = () => buildWooviError('Account ID is invalid')
export const accountWithoutKey = () => buildWooviError('A conta não possui uma chave Pix')

export const chargeIdInUse = () => buildWooviError('Já existe uma cobrança com este Correlação ID')
/** Woovi publishes no sentence for a charge with a due date whose customer has no tax id or address. */
export const customerIncomplete = () => buildWooviError('O cliente precisa de CPF ou CNPJ e de um endereço')
export const dueDatePassed = () => buildWooviError('A data de vencimento já passou')
export const wooviChargeNotFound = () => buildWooviError('Cobrança não encontrada')
export const chargeAlreadyPaid = () => buildWooviError('Não é possível remover uma cobrança paga')

// Woovi publishes the status of these two errors, and no sentence.
export const staticCodeNotFound = () => buildWooviError('QRCode não encontrado')
export const staticCodeIdInUse = () => buildWooviError('Já existe um QRCode com este Correlação ID')

// Woovi publishes the status of these errors, 400, and no sentence.
export const subscriptionNotFound = () => buildWooviError('Assinatura não encontrada')
export const subscriptionIdInUse = () => buildWooviError('Já existe uma assinatura com este Correlação ID')
export const subscriptionStartTooEarly = () =>
  buildWooviError('A data de início precisa estar a pelo menos 3 dias de hoje')
export const subscriptionEnded = () => buildWooviError('A assinatura não está ativa')
export const installmentNotFound = () => buildWooviError('Parcela não encontrada')
export const debitExists = () => buildWooviError('A parcela já possui uma cobrança')
export const debitOutsidePeriod = () =>
  buildWooviError('A cobrança pode ser criada de 5 a 10 dias antes da data da cobrança')
export const debitNotRetryable = () => buildWooviError('A cobrança não pode ser retentada')

export const transactionNotFound = () => buildWooviError('Transaction not found')
/** Woovi publishes the status, 404, and no sentence. */
export const wooviReceiptNotFound = (): SimulatedResponse => ({ ...transactionNotFound(), status: 404 })
export const wooviRefundIdInUse = () =>
  buildWooviError('Já existe um reembolso com o correlationID fornecido')
export const wooviRefundNotFound = () => buildWooviError('Reembolso não encontrado')
export const refundTooLarge = () =>
  buildWooviError('O valor do reembolso é maior que o valor restante da transação')
export const refundTooLate = () => buildWooviError('O prazo de 90 dias para reembolsar a transação terminou')

export const paymentIdInUse = () => buildWooviError('Já existe um pagamento com o correlationID fornecido')
export const paymentNotFound = () => buildWooviError('Pagamento não encontrado')
export const paymentNotPending = () => buildWooviError('O pagamento não está aguardando aprovação')
// Woovi publishes one sentence for an order that is approved at once and another one for the approval of an order.
export const insufficientBalanceToOrder = () =>
  buildWooviError('You do not have enough balance to make this payment')
export const insufficientBalanceToApprove = () =>
  buildWooviError('Você não possui saldo o suficiente para realizar esse pagamento')
/** Woovi publishes no sentence for a code that cannot be paid. */
export const codeNotPayable = () => buildWooviError('QR Code inválido')
export const invalidKey = () => buildWooviError('Chave Pix inválida')
/** The description of the status in Woovi's OpenAPI document: `POST` answers with `error` only, and no page has its sentence. */
export const keyNotRegistered = (): SimulatedResponse => ({
  status: 404,
  body: { error: 'Pix key does not exist' },
})
export const keySuspectedOfFraud = () => buildWooviError('Pix key related to an account suspected of fraud')
export const tooManyKeyChecks = (): SimulatedResponse => ({
  status: 429,
  body: { error: 'You tried to consult many Pix keys that do not exist.' },
})
export const keyMalformed = () => wooviInvalidFields(['key não é uma chave do tipo informado'])
export const keyNotOfHolder = () => buildWooviError('A chave Pix deve ser o CNPJ da conta')
export const keyInUse = () => buildWooviError('Esta chave Pix já está cadastrada')
export const wooviKeyLimitReached = () => buildWooviError('Limite de chaves Pix atingido')
export const wooviKeyNotFound = (): SimulatedResponse => ({
  status: 404,
  body: { error: 'Pix key not found' },
})
export const keyIsDefault = () => buildWooviError('Não é possível remover a chave padrão da conta')

export const disputeNotFound = () => buildWooviError('Dispute not found')
/** Builds the only refusal of evidence that Woovi publishes, used for every reason. */
export const disputeTooLate = () => buildWooviError('You cannot send a evidence for a accepted dispute')
export const recoveryNotFound = (): SimulatedResponse => ({
  status: 404,
  body: { error: 'Funds recovery not found' },
})
/** Refuses an AppID without the scope, in words that no page on funds recoveries has. */
export const recoveryScopeMissing = (): SimulatedResponse => ({
  status: 403,
  body: { error: 'Application does not have required scope: FUNDS_RECOVERY_GET' },
})
/** Refuses a body in the shape that the OpenAPI document shows for it. */
export const recoveryInvalid = (error: Record<string, string[]>): SimulatedResponse => ({
  status: 400,
  body: { error },
})
export const recoveredTransactionNotFound = (): SimulatedResponse => ({
  status: 404,
  body: { error: 'Transaction not found' },
})
export const recoveryExists = (endToEnd: string): SimulatedResponse => ({
  status: 422,
  body: { error: `FundsRecovery already exists for transaction ${endToEnd}` },
})
export const recoveryEnded = (status: string): SimulatedResponse => ({
  status: 422,
  body: { error: `Cannot cancel: FundsRecovery is already in terminal status ${status}` },
})
/** The OpenAPI document has the refusal of the Central Bank, and no sentence of it. */
export const recoveryCancelRefused = (): SimulatedResponse => ({
  status: 422,
  body: { error: 'Funds recovery cannot be cancelled' },
})
export const evidenceFileUnknown = () =>
  wooviInvalidFields(['documents.fileId não é um arquivo de DISPUTE_EVIDENCE'])
export const fileTooLarge = (): SimulatedResponse => ({
  status: 413,
  body: { error: 'O arquivo passa de 10 MiB' },
})
export const fileUnsupported = (): SimulatedResponse => ({
  status: 415,
  body: { error: 'O arquivo deve ser PDF, PNG, JPEG ou WebP' },
})

export const wooviWebhookNotFound = () => buildWooviError('Webhook não encontrado')
export const invalidUrl = () => wooviInvalidFields(['webhook.url deve ser uma URL https'])

/** Woovi's responses for faults. */
export const wooviFailures: FailureResponses = {
  documentedRefusal: invalidAppId,
  /** Woovi documents this response for look-ups of PIX keys. */
  tooManyRequests: () => ({
    status: 429,
    body: {
      error: 'You tried to consult many Pix keys that do not exist.',
      errorCode: 'TOO_MANY_REQUESTS',
    },
    headers: { 'Retry-After': '1' },
  }),
  internalError: () => ({ status: 500, body: { error: 'Ocorreu um erro interno' } }),
  unknownRoute: () => ({ status: 404, body: { error: 'Not Found' } }),
  unlistedRefusals: [
    buildWooviError('Ocorreu um erro inesperado. Tente novamente'),
    { status: 409, body: { error: 'Esta operação já está sendo processada' } },
    buildWooviError('Operação não concluída', 'OPERATION_NOT_COMPLETED'),
    { status: 422, body: { message: 'Unprocessable Entity', code: 17 } },
    buildProxyResponse(403, '<html><body><h1>403 Forbidden</h1></body></html>'),
    buildProxyResponse(429, 'Too many requests'),
    buildProxyResponse(425, ''),
    buildProxyResponse(404, 'default backend - 404'),
    { status: 401, body: { message: 'Unauthorized' } },
    { status: 499, body: { error: { code: 12, details: ['timeout'] } } },
  ],
}
