import { v5 } from 'uuid'
import { z } from 'zod'
import { reaisFromCents } from '../../domain/ledger/money.ts'
import { findRailCode } from '../../domain/pix/rail-codes.ts'
import type {
  AwaitingApprovalResult,
  FindPayoutOutcome,
  ProviderPayout,
  ProviderTransferRequest,
} from '../../domain/providers/provider.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import { optionalField, optionalText } from '../adapter/fields.ts'
import { toPayoutRejection } from '../adapter/outcomes.ts'
import { createPartySchema } from '../adapter/party.ts'
import { centsSchema } from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import type { InterCall } from './answers.ts'
import { INTER_BANKING_PATH, type InterClient } from './client.ts'

/**
 * Creates the calls about sent PIX (Banking). The header `x-id-idempotente` is derived from our id, so that the same order sent
 * twice is one payment. Inter gives a payment an id of its own, `codigoSolicitacao`, by which alone it is looked up: where no
 * answer named it, the same order is sent again, which finishes the payment. Its absence is never proved.
 */
export function createInterTransfers(client: InterClient): TransferCalls {
  return {
    async sendTransfer(order) {
      const call = buildCall('sendTransfer', order)
      const outcome = await client.send(call, acceptanceSchema, acceptance => acceptance)
      if (outcome.kind !== 'accepted') return outcome
      return outcome.approval ?? { kind: 'accepted', payout: buildAcceptedPayout(order, outcome.ref) }
    },

    async findTransfer({ id, handle, order }) {
      if (handle) return findByHandle(id, handle.ref)
      return order ? repeatTransfer(order) : noHandle
    },
  }

  /** Looks a payment up by Inter's id of it. */
  async function findByHandle(id: string, ref: string): Promise<FindPayoutOutcome> {
    const path = INTER_BANKING_PATH + encodePath`/pix/${ref}`
    const call = { call: 'findTransfer', reference: id, path } as const
    const outcome = await client.lookUpExisting(call, foundPaymentSchema, ({ transacaoPix: payment }) =>
      (payment.codigoSolicitacao ?? ref) === ref ? { payment } : undefined,
    )
    if (outcome.kind === 'no_answer') return outcome
    const { payment } = outcome
    if (payment.status === 'AGUARDANDO_APROVACAO') return buildAwaitingApproval(ref)
    return { kind: 'found', payout: mapPayment({ ...payment, status: payment.status }) }
  }

  /** Sends the same order again under the same id: what refuses the repeat says nothing of the sending before it. */
  async function repeatTransfer(order: ProviderTransferRequest): Promise<FindPayoutOutcome> {
    const call = buildCall('repeatTransfer', order)
    const outcome = await client.lookUpExisting(call, acceptanceSchema, acceptance => acceptance)
    if (outcome.kind === 'no_answer') return outcome
    return outcome.approval ?? { kind: 'found', payout: buildAcceptedPayout(order, outcome.ref) }
  }
}

/** Namespace of the uuids (version 5) that are derived from our ids for `x-id-idempotente`; never to be changed. */
const IDEMPOTENCY_NAMESPACE = 'b6f2c4de-5c0e-5d3a-9a57-0d7a1c7f4e21'

function buildCall<Name extends InterCall>(
  call: Name,
  { id, cents, destination, message }: ProviderTransferRequest,
) {
  const json = paymentRequestSchema.parse({
    valor: cents,
    descricao: message?.slice(0, 140),
    destinatario: buildRecipient(destination),
  })
  const headers = { 'x-id-idempotente': v5(id, IDEMPOTENCY_NAMESPACE) }
  const path = `${INTER_BANKING_PATH}/pix`
  return { call, reference: id, method: 'POST', path, headers, json, hasOwnConnection: true } as const
}

function buildRecipient(destination: TransferDestination) {
  switch (destination.kind) {
    case 'key':
      return { tipo: 'CHAVE', chave: destination.pixKey }
    case 'code':
      return { tipo: 'PIX_COPIA_E_COLA', pixCopiaECola: destination.code.payload }
    case 'account': {
      const { name, document, bank, account_agency, account_number, account_type } = destination.account
      return {
        tipo: 'DADOS_BANCARIOS',
        nome: name,
        cpfCnpj: document,
        agencia: account_agency,
        contaCorrente: account_number,
        tipoConta: INTER_ACCOUNT_TYPES[account_type],
        instituicaoFinanceira: { ispb: bank.ispb },
      }
    }
  }
}

/** "TipoConta". */
const INTER_ACCOUNT_TYPES = {
  CHECKING: 'CONTA_CORRENTE',
  PAYMENT: 'CONTA_PAGAMENTO',
  SAVINGS: 'CONTA_POUPANCA',
  SALARY: 'CONTA_SALARIO',
} as const

/** `valor` is a number of reais. Without `dataPagamento` Inter pays at once. */
const paymentRequestSchema = z.strictObject({
  valor: z.int().positive().transform(reaisFromCents),
  descricao: z.string().max(140).optional(),
  destinatario: z.discriminatedUnion('tipo', [
    z.strictObject({ tipo: z.literal('CHAVE'), chave: z.string().min(1).max(77) }),
    z.strictObject({ tipo: z.literal('PIX_COPIA_E_COLA'), pixCopiaECola: z.string().min(1).max(512) }),
    z.strictObject({
      tipo: z.literal('DADOS_BANCARIOS'),
      nome: z.string().min(1),
      cpfCnpj: z.string().min(11),
      agencia: z.string().min(1),
      contaCorrente: z.string().min(1),
      tipoConta: z.enum(Object.values(INTER_ACCOUNT_TYPES)),
      instituicaoFinanceira: z.strictObject({ ispb: z.string().length(8) }),
    }),
  ]),
})

const acceptanceSchema = z
  .object({
    tipoRetorno: z.enum(['APROVACAO', 'PROCESSADO', 'AGENDADO']),
    codigoSolicitacao: z.string().min(1).max(200),
  })
  .transform(({ tipoRetorno, codigoSolicitacao: ref }) => ({
    ref,
    approval: tipoRetorno === 'APROVACAO' ? buildAwaitingApproval(ref) : null,
  }))

/** Inter's answer names no amount: it is the ordered one until the look-up reports it. */
function buildAcceptedPayout({ cents }: ProviderTransferRequest, ref: string): ProviderPayout {
  return { status: 'in_process', cents, endToEnd: '', at: null, handle: { ref } }
}

function buildAwaitingApproval(ref: string): AwaitingApprovalResult {
  const message = `Payment ${ref} waits for approval in Inter's Internet Banking. Approve it there, or refuse it: Aprovar.`
  return { kind: 'awaiting_approval', code: 'awaiting_approval', message, handle: { ref } }
}

const noHandle = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'Inter looks payments up by its own id, which no answer has named',
  isLasting: true,
} as const

/**
 * What each status of a payment ("StatusPix") means to us. Inter publishes their names only, so that one whose name says neither
 * that it was paid nor that it has ended is in process.
 */
const PAYMENT_STATUSES = {
  CRIADO: 'in_process',
  APROVADO: 'in_process',
  AGENDADO: 'in_process',
  DEBITADO: 'in_process',
  PARCIALMENTE_DEBITADO: 'in_process',
  ENVIADO: 'in_process',
  PARCIALMENTE_PAGO: 'in_process',
  PAGO: 'settled',
  REPROVADO: 'rejected',
  EXPIRADO: 'rejected',
  CANCELADO: 'rejected',
  AGENDAMENTO_CANCELADO: 'rejected',
  CANCELADO_SEM_SALDO: 'rejected',
  NAO_DEBITADO: 'rejected',
  FALHA: 'rejected',
} as const
type PaymentStatus = keyof typeof PAYMENT_STATUSES

const statusSchema = z.enum([...(Object.keys(PAYMENT_STATUSES) as PaymentStatus[]), 'AGUARDANDO_APROVACAO'])

/** A local time without its zone: Brasília's, three hours behind the UTC minute of the end-to-end id beside it. */
const localInstantSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/)
  .transform(text => new Date(`${text}-03:00`))
  .refine(date => !Number.isNaN(date.getTime()))
  .transform(date => date.toISOString())

const paymentErrorSchema = z.object({
  codigoErro: optionalText,
  descricaoErro: optionalText,
  codigoErroComplementar: optionalText,
})

const foundPaymentSchema = z.object({
  transacaoPix: z.object({
    codigoSolicitacao: optionalText,
    valor: centsSchema,
    status: statusSchema,
    chave: optionalText,
    endToEnd: optionalText,
    dataHoraMovimento: optionalField(localInstantSchema),
    recebedor: createPartySchema({
      name: 'nome',
      document: 'cpfCnpj',
      ispb: 'codIspb',
      agency: 'codAgencia',
      account: 'nroConta',
    }),
    erros: optionalField(z.array(paymentErrorSchema)),
  }),
})
type InterPayment = Omit<z.infer<typeof foundPaymentSchema>['transacaoPix'], 'status'> & {
  status: PaymentStatus
}

function mapPayment(payment: InterPayment): ProviderPayout {
  const { valor: cents, chave: pixKey, endToEnd, dataHoraMovimento, recebedor: receiver } = payment
  const status = PAYMENT_STATUSES[payment.status]
  return {
    status,
    cents,
    pixKey,
    endToEnd: endToEnd ?? '',
    at: dataHoraMovimento ?? null,
    ...(status === 'rejected' && toInterRejection(payment)),
    receiver,
    // The look-up lists nothing that a recipient gave back: there is nothing to poll for.
    returns: [],
  }
}

/** Converts why a payment ended to our code: the rail's, if one of its errors has one. */
function toInterRejection({ status, erros }: InterPayment) {
  const errors = erros ?? []
  const codes = errors.flatMap(({ codigoErro, codigoErroComplementar }) => [
    codigoErro,
    codigoErroComplementar,
  ])
  const code = status === 'CANCELADO_SEM_SALDO' ? 'insufficient_balance' : undefined
  const message = errors.find(({ descricaoErro }) => descricaoErro)?.descricaoErro
  return toPayoutRejection(findRailCode(...codes) ?? code, message)
}
