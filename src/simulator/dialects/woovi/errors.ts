import { type Answer, contentTypeOf, type FailureWords } from '../../calls.ts'

/**
 * Woovi's refusals: `{error}`, with `errorCode` where it names the reason, or `{errors: [{message}]}` for fields. Texts
 * and names are those of its public documentation and of answers its users have published; the rest are in its manner.
 */
const refused = (error: string, errorCode?: string): Answer => ({
  status: 400,
  body: { error, ...(errorCode ? { errorCode } : {}) },
})

/** What no API answers but a proxy before it. */
const page = (status: number, text: string): Answer => ({
  status,
  body: text,
  headers: { 'content-type': contentTypeOf(text) },
})

export const invalidAppId = (): Answer => ({
  status: 401,
  body: { data: null, errors: [{ message: 'appID inválido' }] },
})
export const malformedJson = () => refused('Payload JSON inválido')
export const invalidFields = (messages: string[]): Answer => ({
  status: 400,
  body: { errors: messages.map(message => ({ message })) },
})
export const noKey = () => refused('A conta não possui uma chave Pix')

export const chargeTaken = () => refused('Já existe uma cobrança com este Correlação ID')
export const chargeNotFound = () => refused('Cobrança não encontrada')
export const chargePaid = () => refused('Não é possível remover uma cobrança paga')

export const transactionNotFound = () => refused('Transaction not found')
export const refundTaken = () => refused('Já existe um reembolso com o correlationID fornecido')
export const refundNotFound = () => refused('Reembolso não encontrado')
export const refundTooLarge = () => refused('O valor do reembolso é maior que o valor restante da transação')
export const refundTooLate = () => refused('O prazo de 90 dias para reembolsar a transação terminou')

export const paymentTaken = () => refused('Já existe um pagamento com o correlationID fornecido')
export const paymentNotFound = () => refused('Pagamento não encontrado')
export const paymentApproved = () => refused('O pagamento não está aguardando aprovação')
/** Woovi publishes one sentence for an order that is approved at once and another for the approval of an order. */
export const noBalanceToOrder = () => refused('You do not have enough balance to make this payment')
export const noBalanceToApprove = () =>
  refused('Você não possui saldo o suficiente para realizar esse pagamento')
export const invalidKey = () => refused('Chave Pix inválida')
export const keyMalformed = () => invalidFields(['key não é uma chave do tipo informado'])
export const keyOfAnotherHolder = () => refused('A chave Pix deve ser o CNPJ da conta')
export const keyTaken = () => refused('Esta chave Pix já está cadastrada')
export const tooManyKeys = () => refused('Limite de chaves Pix atingido')
export const keyNotFound = (): Answer => ({ status: 404, body: { error: 'Pix key not found' } })
export const keyIsDefault = () => refused('Não é possível remover a chave padrão da conta')

export const disputeNotFound = () => refused('Dispute not found')
/** The one sentence on evidence that Woovi publishes, whatever ended the time for it. */
export const disputeTooLate = () => refused('You cannot send a evidence for a accepted dispute')
export const recoveryNotFound = (): Answer => ({
  status: 404,
  body: { error: 'Funds recovery not found' },
})
export const evidenceFileUnknown = () =>
  invalidFields(['documents.fileId não é um arquivo de DISPUTE_EVIDENCE'])
export const fileTooLarge = (): Answer => ({ status: 413, body: { error: 'O arquivo passa de 10 MiB' } })
export const fileUnsupported = (): Answer => ({
  status: 415,
  body: { error: 'O arquivo deve ser PDF, PNG, JPEG ou WebP' },
})

export const webhookNotFound = () => refused('Webhook não encontrado')
export const invalidUrl = () => invalidFields(['webhook.url deve ser uma URL https'])

/** The failures that faults ask for. */
export const wooviFailures: FailureWords = {
  refused: invalidAppId,
  /** Published for what looks a PIX key up. */
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
    refused('Ocorreu um erro inesperado. Tente novamente'),
    { status: 409, body: { error: 'Esta operação já está sendo processada' } },
    refused('Operação não concluída', 'OPERATION_NOT_COMPLETED'),
    { status: 422, body: { message: 'Unprocessable Entity', code: 17 } },
    page(403, '<html><body><h1>403 Forbidden</h1></body></html>'),
    page(429, 'Too many requests'),
    page(425, ''),
    page(404, 'default backend - 404'),
    { status: 401, body: { message: 'Unauthorized' } },
    { status: 499, body: { error: { code: 12, details: ['timeout'] } } },
  ],
}
