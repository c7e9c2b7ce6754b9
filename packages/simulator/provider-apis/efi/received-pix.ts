import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { Receipt } from '../../receipts.ts'
import type { RefundAcceptance } from '../../refunds.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { presentEfiReceivedPix, presentEfiRefund, selectListedFields } from './presenters.ts'
import { efiRefundBody, parseEfiBody } from './schemas.ts'

const REFUND_ID_PATTERN = /^[a-zA-Z0-9]{1,35}$/
/** Efí's sandbox rejects a devolução of this amount by notification (docs, "Solicitar devolução"). */
const MAGIC_REJECTED_CENTS = 1

type EfiReceivedPixHandlers = Record<
  'show' | 'list' | 'refund' | 'showRefund',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of received PIX and their devoluções, `/v2/pix`. */
export function createEfiReceivedPixHandlers({ receipts, refunds }: SimulatorState): EfiReceivedPixHandlers {
  const presentReceipt = (account: SimulatedAccount, receipt: Receipt) =>
    presentEfiReceivedPix(receipt, refunds.listListedByReceipt(receipt), selectListedFields(account))

  return {
    show: ({ account, params }) => {
      const receipt = receipts.findListed(account.id, params.e2eId!)
      return receipt ? { status: 200, body: presentReceipt(account, receipt) } : errors.pixNotFound()
    },
    list: call =>
      buildEfiListPage(call, {
        field: 'pix',
        between: range => receipts.listBetween(call.account.id, range),
        matches: receipt => matchesQuery(receipt, call.query, refunds.listByReceipt(receipt).length > 0),
        present: receipt => presentReceipt(call.account, receipt),
      }),
    refund: ({ account, params, body }, outcome) => {
      const parsed = parseEfiBody(efiRefundBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const { valor: cents, descricao: description } = parsed.value
      if (!REFUND_ID_PATTERN.test(id))
        return invalidRefund('id', 'O id da devolução deve ter 1 a 35 letras e dígitos.')
      if (cents === 0) return errors.invalidValue('Campo valor deve ser maior que zero')
      const isMagic = account.amountMagic && cents === MAGIC_REJECTED_CENTS
      const plannedOutcome: ScriptedOutcome = isMagic
        ? { kind: 'rejected', code: 'Devolução rejeitada' }
        : outcome
      const request = { accountId: account.id, endToEnd, id, cents, description }
      return respondToRefund(account, refunds.accept({ ...request, outcome: plannedOutcome }))
    },
    showRefund: ({ account, params }) => {
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const refund = refunds.findListed({ accountId: account.id, endToEnd, id })
      return refund
        ? { status: 200, body: presentEfiRefund(refund, selectListedFields(account)) }
        : errors.efiRefundNotFound()
    },
  }
}

function respondToRefund(account: SimulatedAccount, acceptance: RefundAcceptance): SimulatedResponse {
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 201, body: presentEfiRefund(acceptance.refund, selectListedFields(account)) }
    case 'no_such_receipt':
      return errors.pixNotFound()
    case 'id_in_use':
      return errors.efiRefundIdInUse()
    case 'over_the_receipt':
      return invalidRefund(
        'valor',
        'O valor da devolução, somado aos já devolvidos, excederia o valor do Pix.',
      )
    case 'too_late':
      return invalidRefund(
        'e2eid',
        'A devolução está fora da janela de 90 dias desde a data de liquidação original.',
      )
    default:
      return acceptance satisfies never
  }
}

function invalidRefund(field: string, razao: string): SimulatedResponse {
  return errors.refundInvalid({ razao, propriedade: `pix.devolucao.${field}` })
}

function matchesQuery(receipt: Receipt, query: URLSearchParams, isRefunded: boolean): boolean {
  const document = query.get('cpf') ?? query.get('cnpj')
  return (
    (query.get('txid') ?? receipt.txid) === receipt.txid &&
    (query.get('txIdPresente') ?? String(receipt.txid !== null)) === String(receipt.txid !== null) &&
    (query.get('devolucaoPresente') ?? String(isRefunded)) === String(isRefunded) &&
    (document ?? receipt.payerDocument) === receipt.payerDocument
  )
}
