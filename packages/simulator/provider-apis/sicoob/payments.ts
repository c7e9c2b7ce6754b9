import { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import { MAX_CENTS } from '../../amount.ts'
import { lookUpDictKey } from '../../dict-look-ups.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import { findMagicOutcome, findRecipientFault } from '../../magic-recipients.ts'
import { detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, SimulatedTransfer } from '../../transfers.ts'
import type { BacenViolation } from '../bacen/problems.ts'
import * as errors from './errors.ts'
import { presentPayment, presentStartedPayment } from './payment-presenters.ts'

type SicoobPaymentHandlers = Record<
  'start' | 'confirm' | 'show',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
> & { findMagicFault(call: SimulatedCall): ConsumedFault<CallFault> | null }

/** A payment that was started and can be confirmed once. */
type Draft = { endToEnd: string; accountId: string; recipient: string; createdAt: string; isExpired: 0 | 1 }

/**
 * Time in which a started payment can be confirmed. Sicoob publishes none; the rail refuses an end-to-end id whose minute is
 * too far away, and this is sooner.
 */
const DRAFT_TTL_MS = 15 * 60_000

/** Creates the handlers of payments, `/pagamentos`: one is started by a key, which moves nothing, and then confirmed. */
export function createSicoobPaymentHandlers(state: SimulatorState): SicoobPaymentHandlers {
  const { transfers, store } = state
  return {
    findMagicFault: ({ account, body }) => {
      const { data } = confirmationBody.safeParse(body)
      const draft = data?.endToEndId === undefined ? undefined : findDraft(state, account, data.endToEndId)
      if (!draft) return null
      const { key } = JSON.parse(draft.recipient) as SimulatedRecipient
      return findRecipientFault(store, { accountId: account.id, id: draft.endToEnd, key })
    },
    start: call => startPayment(state, call),
    confirm: (call, outcome) => store.inTransaction(() => confirmPayment(state, call, outcome)),
    show: ({ account, params }) => {
      const transfer = transfers.findListedByEndToEnd(params.id!)
      return transfer?.accountId === account.id
        ? { status: 200, body: presentPayment(transfer, account) }
        : errors.sicoobPaymentNotFound()
    },
  }
}

const startBody = z.object({
  chave: z.string().min(1).max(77),
  dataAgendamento: z.iso.date().optional(),
})

function startPayment(state: SimulatorState, { account, body }: SimulatedCall): SimulatedResponse {
  const { ids, store, now } = state
  const parsed = startBody.safeParse(body)
  if (!parsed.success) return errors.paymentInvalid(...parsed.error.issues.map(presentPaymentIssue))
  const { chave: key, dataAgendamento: date } = parsed.data
  const keyKind = detectKeyKind(key)
  if (keyKind === null) return refuse('chave', "O campo 'chave' não respeita o schema.")
  if (date !== undefined) return refuseSchedule()
  const at = now().toISOString()
  const endToEnd = ids.endToEnd({ ispb: account.ispb, at })
  const answer = lookUpDictKey(state, account, key)
  if (answer.kind !== 'found') return refuse('chave', 'Chave não encontrada no DICT.')
  const recipient = { key, ...answer.owner }
  store.insert('sicoobDraft', {
    endToEnd,
    accountId: account.id,
    recipient: JSON.stringify(recipient),
    createdAt: at,
    isExpired: 0,
  })
  return { status: 200, body: presentStartedPayment(endToEnd, { ...recipient, keyKind }) }
}

const digits = z.string().regex(/^\d+$/)
const confirmationBody = z.object({
  endToEndId: z
    .string()
    .regex(/^[a-zA-Z0-9]{32}$/)
    .optional(),
  valor: z.string().regex(/^[0-9]{1,18}(,[0-9]{1,2})?$/),
  descricao: z.string().max(140).optional(),
  meioIniciacao: z.enum(['CHAVE', 'MANUAL', 'QRCODE']),
  dataAgendamento: z.iso.date().optional(),
  origem: z.object({ chaveDict: z.string().max(77).optional() }).optional(),
  destino: z
    .object({
      ispb: z.string().length(8).optional(),
      cpfCnpj: digits.optional(),
      nome: z.string().max(140).optional(),
      conta: digits.max(20).optional(),
      agencia: digits.max(4).optional(),
      tipo: z.enum(['CORRENTE', 'POUPANCA', 'SALARIO', 'CONTAPAGAMENTO']).optional(),
    })
    .optional(),
})
type Confirmation = z.infer<typeof confirmationBody>

function confirmPayment(
  state: SimulatorState,
  { account, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const parsed = confirmationBody.safeParse(body)
  if (!parsed.success) return errors.paymentInvalid(...parsed.error.issues.map(presentPaymentIssue))
  const confirmation = parsed.data
  const cents = centsFromCommaText(confirmation.valor)
  if (cents === 0 || cents > MAX_CENTS) return refuse('valor', 'O valor do lançamento é inválido.')
  const payment =
    confirmation.meioIniciacao === 'MANUAL'
      ? findManualPayment(state, account, confirmation)
      : findStartedPayment(state, account, { confirmation, outcome })
  if ('refusal' in payment) return payment.refusal
  if (confirmation.dataAgendamento !== undefined) return refuseSchedule()
  return sendPayment(state, { account, cents, confirmation, outcome, ...payment })
}

type PaymentTarget = { endToEnd: string; recipient: SimulatedRecipient }

/** Finds the started payment that is confirmed: of this account, not confirmed before, and not expired. */
function findStartedPayment(
  state: SimulatorState,
  account: SimulatedAccount,
  { confirmation, outcome }: { confirmation: Confirmation; outcome: ScriptedOutcome },
): PaymentTarget | { refusal: SimulatedResponse } {
  const { transfers, store, now } = state
  const { endToEndId, destino } = confirmation
  const draft = endToEndId === undefined ? undefined : findDraft(state, account, endToEndId)
  if (!draft) return { refusal: refuse('endToEndId', 'Pagamento não iniciado para o endToEndId informado.') }
  const { endToEnd, createdAt } = draft
  // A repeat is told first: it must not be refused for another reason.
  if (transfers.findByEndToEnd(endToEnd))
    return { refusal: refuse('endToEndId', 'Pagamento já efetivado para o endToEndId informado.') }
  if (outcome.kind === 'draft_expired')
    store.run('UPDATE sicoobDraft SET isExpired = 1 WHERE endToEnd = ?', endToEnd)
  const isOver = now().getTime() - Date.parse(createdAt) > DRAFT_TTL_MS
  if (isOver || draft.isExpired === 1 || outcome.kind === 'draft_expired')
    return { refusal: refuse('endToEndId', 'O prazo para efetivar o pagamento iniciado expirou.') }
  const recipient = JSON.parse(draft.recipient) as SimulatedRecipient
  // "Os atributos deste objeto, se forem informados, serão validados com o retorno obtido na iniciação DICT."
  if ((destino?.cpfCnpj ?? recipient.document) !== recipient.document)
    return { refusal: refuse('destino.cpfCnpj', 'Dados do destino divergem da iniciação.') }
  if ((destino?.nome ?? recipient.name) !== recipient.name)
    return { refusal: refuse('destino.nome', 'Dados do destino divergem da iniciação.') }
  return { endToEnd, recipient }
}

/** Builds a payment to an account, which is not started before: `destino` is required for `MANUAL`. */
function findManualPayment(
  { ids, now }: SimulatorState,
  { ispb: payerIspb }: SimulatedAccount,
  { destino }: Confirmation,
): PaymentTarget | { refusal: SimulatedResponse } {
  const { ispb, cpfCnpj, nome, conta, agencia, tipo } = destino ?? {}
  if (!ispb || !cpfCnpj || !nome || !conta || !agencia || !tipo)
    return { refusal: refuse('destino', "Dados do campo 'destino' precisam ser preenchidos manualmente.") }
  return {
    endToEnd: ids.endToEnd({ ispb: payerIspb, at: now().toISOString() }),
    recipient: {
      key: null,
      name: nome,
      document: cpfCnpj,
      account: { ispb, branch: agencia, number: conta },
      bank: { ispb, conta, agencia, tipo },
    },
  }
}

type PaymentOrder = PaymentTarget & {
  account: SimulatedAccount
  cents: number
  confirmation: Confirmation
  outcome: ScriptedOutcome
}

/** Sends a payment. What the rail or the balance refuses at once is a payment too, in the state of a rejection. */
function sendPayment(state: SimulatorState, order: PaymentOrder): SimulatedResponse {
  const { transfers, accounts } = state
  const { account, cents, endToEnd, recipient, confirmation, outcome } = order
  const magic = findMagicOutcome(recipient, cents)
  const request = {
    account,
    id: endToEnd,
    endToEnd,
    cents,
    recipient,
    payerKey: confirmation.origem?.chaveDict ?? accounts.listKeys(account.id)[0] ?? '',
    message: confirmation.descricao ?? null,
  }
  const reject = (code: string) =>
    respond(
      transfers.recordRejected({ ...request, returnedCents: [], outcome: { kind: 'rejected', code } }),
      account,
    )
  if (outcome.kind === 'left' || outcome.kind === 'left_then_removed') return reject('AM04')
  if ('refused' in magic) return reject(magic.refused)
  const accepted = transfers.accept({
    ...request,
    returnedCents: magic.returnedCents,
    outcome: outcome.kind === 'settles' ? magic.outcome : outcome,
  })
  switch (accepted.kind) {
    case 'accepted':
      return respond(accepted.transfer, account)
    case 'no_balance':
      return reject('AM04')
    case 'id_in_use':
      return refuse('endToEndId', 'Pagamento já efetivado para o endToEndId informado.')
    default:
      return accepted satisfies never
  }
}

function respond(transfer: SimulatedTransfer, account: SimulatedAccount): SimulatedResponse {
  return { status: 200, body: presentPayment(transfer, account) }
}

function findDraft({ store }: SimulatorState, { id }: SimulatedAccount, endToEnd: string): Draft | undefined {
  return store.first<Draft>('SELECT * FROM sicoobDraft WHERE endToEnd = ? AND accountId = ?', endToEnd, id)
}

/** Parses reais of a text with a decimal comma, such as `12,3` or `12`. */
function centsFromCommaText(text: string): number {
  const [reais, decimals = ''] = text.split(',')
  return Number(reais) * 100 + Number(decimals.padEnd(2, '0'))
}

function refuse(propriedade: string, razao: string): SimulatedResponse {
  return errors.paymentInvalid({ razao, propriedade })
}

function refuseSchedule(): SimulatedResponse {
  return refuse('dataAgendamento', 'Agendamento não habilitado para a conta.')
}

function presentPaymentIssue({ path, message }: { path: PropertyKey[]; message: string }): BacenViolation {
  const propriedade = path.join('.') || 'body'
  return { razao: `O campo '${propriedade}' não respeita o schema: ${message}`, propriedade }
}
