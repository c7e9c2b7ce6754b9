import type { Context } from 'koa'
import { z } from 'zod'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { centsFromReais } from '../../amount.ts'
import { formatBrazilianDay, getBrazilianDayStart } from '../../brazilian-day.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import { findKeyHolder } from '../../key-holder.ts'
import { findMagicOutcome, findRecipientFault, isUnknownMagicKey } from '../../magic-recipients.ts'
import { readPayableCode } from '../../payer/payable-codes.ts'
import { detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient } from '../../transfers.ts'
import type { BacenViolation } from '../bacen/problems.ts'
import { MALFORMED_JSON, readProviderJson } from '../serve-calls.ts'
import * as errors from './errors.ts'
import { presentInterPayment } from './payment-presenters.ts'
import { sendInterPayment } from './payment-sending.ts'
import {
  findInterPayment,
  findRepeatedPayment,
  getInterTransferId,
  type InterPayment,
} from './payment-store.ts'

type InterPaymentHandlers = Record<
  'order' | 'show',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
> & { findMagicFault(call: SimulatedCall): ConsumedFault<CallFault> | null }

/** Reads an order with the header that makes its repeat the same payment. */
export async function readInterOrder(ctx: Context): Promise<unknown> {
  const order = await readProviderJson(ctx)
  return order === MALFORMED_JSON ? order : { idempotencyId: ctx.get('x-id-idempotente') || null, order }
}

const orderBody = z.object({
  valor: z.number().positive(),
  dataPagamento: z.iso.date().optional(),
  descricao: z.string().max(140).optional(),
  destinatario: z.discriminatedUnion('tipo', [
    z.object({ tipo: z.literal('CHAVE'), chave: z.string().min(1) }),
    z.object({
      tipo: z.literal('DADOS_BANCARIOS'),
      nome: z.string(),
      cpfCnpj: z.string(),
      contaCorrente: z.string(),
      agencia: z.string(),
      tipoConta: z.enum(['CONTA_CORRENTE', 'CONTA_POUPANCA', 'CONTA_SALARIO', 'CONTA_PAGAMENTO']),
      instituicaoFinanceira: z.object({ ispb: z.string() }),
    }),
    z.object({ tipo: z.literal('PIX_COPIA_E_COLA'), pixCopiaECola: z.string() }),
  ]),
})
const requestSchema = z.object({
  idempotencyId: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    .nullable(),
  order: orderBody,
})
type InterOrder = z.infer<typeof orderBody>

/** "O período máximo para consulta é de 90 dias." */
const LOOK_UP_WINDOW_MS = 90 * 86_400_000

/** Creates the handlers of payments, `/banking/v2/pix`. A repeat of an order by the same id gets the same answer. */
export function createInterPaymentHandlers(state: SimulatorState): InterPaymentHandlers {
  const { store, transfers, now } = state
  return {
    findMagicFault: ({ account, body }) => {
      const { data } = requestSchema.safeParse(body)
      if (data?.order.destinatario.tipo !== 'CHAVE' || data.idempotencyId === null) return null
      const { chave: key } = data.order.destinatario
      return findRecipientFault(store, { accountId: account.id, id: data.idempotencyId, key })
    },
    order: (call, outcome) => store.inTransaction(() => orderPayment(state, call, outcome)),
    show: ({ account, params }) => {
      const code = params.codigoSolicitacao!
      if (!z.uuid().safeParse(code).success)
        return errors.invalidData({ razao: 'O valor deve ser um UUID', propriedade: 'codigoSolicitacao' })
      const payment = findInterPayment(store, code)
      const isShown =
        payment?.accountId === account.id &&
        now().getTime() - Date.parse(payment.createdAt) <= LOOK_UP_WINDOW_MS
      if (!isShown) return errors.bankingNotFound()
      const transfer = transfers.find(account.id, getInterTransferId(payment))
      if (transfer && !state.listing.isListed(transfer)) return errors.bankingNotFound()
      return { status: 200, body: presentInterPayment(payment, transfer, account) }
    },
  }
}

function orderPayment(
  state: SimulatorState,
  { account, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { store, now } = state
  const parsed = requestSchema.safeParse(body)
  if (!parsed.success) return errors.invalidData(...parsed.error.issues.map(presentOrderIssue))
  const { idempotencyId, order } = parsed.data
  const cents = centsFromReais(order.valor)
  if (cents === null)
    return errors.invalidData({ razao: 'O valor deve ter até duas casas decimais', propriedade: 'valor' })
  // A repeat is answered first: it must not be refused for another reason.
  const text = JSON.stringify(order)
  const repeated = idempotencyId === null ? undefined : findRepeatedPayment(store, account.id, idempotencyId)
  if (repeated)
    return repeated.body === text
      ? presentAnswer(repeated)
      : errors.notProcessable('Pagamento não realizado', 'Id idempotente já utilizado em outro pagamento.')

  const today = formatBrazilianDay(now().toISOString())
  const paymentDay = order.dataPagamento ?? today
  if (paymentDay < today)
    return errors.invalidData({ razao: 'A data deve ser atual ou futura', propriedade: 'dataPagamento' })
  const recipient = resolveRecipient(state, order)
  if ('refusal' in recipient) return recipient.refusal

  const answer = chooseAnswer(account, { cents, isLater: paymentDay > today, outcome })
  const at = now().toISOString()
  const payment: InterPayment = {
    code: state.ids.uuid(),
    accountId: account.id,
    idempotencyId,
    body: text,
    cents,
    recipient: JSON.stringify(recipient),
    message: order.descricao ?? null,
    answer,
    paymentDay,
    state: INITIAL_STATES[answer],
    createdAt: at,
    changedAt: at,
  }
  store.insert('interPayment', payment)
  if (answer === 'PROCESSADO') {
    const magic = findMagicOutcome(recipient, cents)
    const plan =
      'refused' in magic
        ? { outcome: { kind: 'rejected', code: magic.refused } as const, returnedCents: [] }
        : magic
    const sent = sendInterPayment(state, payment, {
      returnedCents: plan.returnedCents,
      outcome: outcome.kind === 'settles' ? plan.outcome : outcome,
    })
    if (sent === 'no_balance') {
      // A payment that is refused leaves nothing, and its id is free.
      store.run('DELETE FROM interPayment WHERE code = ?', payment.code)
      return errors.notProcessable('Saldo insuficiente', 'O saldo da conta não cobre o pagamento.')
    }
  }
  if (outcome.kind === 'left_then_removed')
    state.schedule.add({
      task: 'disapprove_payment',
      input: { code: payment.code },
      afterMs: outcome.afterMs,
    })
  if (answer === 'AGENDADO')
    state.schedule.add({
      task: 'send_scheduled_payment',
      input: { code: payment.code },
      afterMs: getBrazilianDayStart(paymentDay) - now().getTime(),
    })
  return presentAnswer(payment)
}

const INITIAL_STATES = {
  PROCESSADO: 'sent',
  AGENDADO: 'scheduled',
  APROVACAO: 'waiting',
} as const satisfies Record<InterPayment['answer'], InterPayment['state']>

/** Chooses the kind of the answer: a payment above the account's amount, or under the fault, waits for an approval. */
function chooseAnswer(
  account: SimulatedAccount,
  { cents, isLater, outcome }: { cents: number; isLater: boolean; outcome: ScriptedOutcome },
): InterPayment['answer'] {
  const { approval_above: limit } = readAccountOptions(account)
  const isLeft = outcome.kind === 'left' || outcome.kind === 'left_then_removed'
  if (isLeft || (limit !== undefined && cents > Math.round(limit * 100))) return 'APROVACAO'
  return isLater ? 'AGENDADO' : 'PROCESSADO'
}

function presentAnswer({ answer, code, paymentDay, createdAt }: InterPayment): SimulatedResponse {
  return {
    status: 200,
    body: {
      tipoRetorno: answer,
      codigoSolicitacao: code,
      dataPagamento: paymentDay,
      dataOperacao: formatBrazilianDay(createdAt),
    },
  }
}

function resolveRecipient(
  state: SimulatorState,
  { destinatario, valor }: InterOrder,
): SimulatedRecipient | { refusal: SimulatedResponse } {
  const { accounts } = state
  switch (destinatario.tipo) {
    case 'CHAVE': {
      const { chave: key } = destinatario
      if (detectKeyKind(key) === null)
        return {
          refusal: errors.invalidData({
            razao: 'O valor não é uma chave Pix',
            propriedade: 'destinatario.chave',
          }),
        }
      if (isUnknownMagicKey(key))
        return {
          refusal: errors.notProcessable(
            'Chave não encontrada',
            'A chave Pix informada não está cadastrada.',
          ),
        }
      return { key, ...findKeyHolder(accounts, key) }
    }
    case 'DADOS_BANCARIOS': {
      const { nome, cpfCnpj, contaCorrente, agencia, tipoConta, instituicaoFinanceira } = destinatario
      const { ispb } = instituicaoFinanceira
      const account = { ispb, branch: agencia, number: contaCorrente }
      const bank = { contaCorrente, agencia, tipoConta, ispb }
      return { key: null, name: nome, document: cpfCnpj, account, bank }
    }
    case 'PIX_COPIA_E_COLA': {
      const code = readPayableCode(state, destinatario.pixCopiaECola)
      const isPayable = code.kind === 'payable' && [null, centsFromReais(valor)].includes(code.cents)
      return isPayable ? code.recipient : { refusal: codeNotProcessable() }
    }
    default:
      return destinatario satisfies never
  }
}

function codeNotProcessable(): SimulatedResponse {
  return errors.notProcessable(
    'Não foi possível processar o QR Code',
    'Por favor, verifique com quem o gerou. Você consegue pagar de outra forma, buscando nos favoritos ou inserindo a chave.',
  )
}

function presentOrderIssue({ path, message }: { path: PropertyKey[]; message: string }): BacenViolation {
  const [place, ...field] = path
  return { razao: message, propriedade: place === 'order' ? field.join('.') || 'body' : 'x-id-idempotente' }
}
