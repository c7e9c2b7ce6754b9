import type { Answer, Call } from '../../calls.ts'
import type { Fate } from '../../events.ts'
import type { Receipt } from '../../receipts.ts'
import type { RefundAcceptance } from '../../refunds.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { read, refundBody } from './schemas.ts'
import { pixOf, refundOf } from './words.ts'

const REFUND_ID = /^[a-zA-Z0-9]{1,35}$/
/** Efí's sandbox rejects a devolução of this value by notice (docs, "Solicitar devolução"). */
const MAGIC_REJECTED_CENTS = 1

type Pixes = Record<'show' | 'list' | 'refund' | 'showRefund', (call: Call, fate: Fate) => Answer>

/** Received PIX and their devoluções: `/v2/pix`. */
export function pixesOf({ receipts, refunds }: World): Pixes {
  const shown = (receipt: Receipt) => pixOf(receipt, receipts.refundsOf(receipt))

  return {
    show: ({ account, params }) => {
      const receipt = receipts.findListed(account.id, params.e2eId!)
      return receipt ? { status: 200, body: shown(receipt) } : errors.pixNotFound()
    },
    list: call =>
      listed(call, {
        field: 'pix',
        between: range => receipts.between(call.account.id, range),
        fits: receipt => fitsQuery(receipt, call.query, receipts.refundsOf(receipt).length > 0),
        shown,
      }),
    refund: ({ account, params, body }, fate) => {
      const asked = read(refundBody, body)
      if ('refusal' in asked) return asked.refusal
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const cents = asked.value.valor
      if (!REFUND_ID.test(id)) return refused('id', 'O id da devolução deve ter 1 a 35 letras e dígitos.')
      if (cents === 0) return errors.invalidValue('Campo valor deve ser maior que zero')
      const magic = account.amountMagic && cents === MAGIC_REJECTED_CENTS
      const late: Fate = { kind: 'rejected', code: 'Devolução rejeitada' }
      return answerTo(
        refunds.accept({ accountId: account.id, endToEnd, id, cents, fate: magic ? late : fate }),
      )
    },
    showRefund: ({ account, params }) => {
      const { e2eId: endToEnd, id } = params as { e2eId: string; id: string }
      const refund = refunds.find({ accountId: account.id, endToEnd, id })
      return refund ? { status: 200, body: refundOf(refund) } : errors.refundNotFound()
    },
  }
}

function answerTo(acceptance: RefundAcceptance): Answer {
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 201, body: refundOf(acceptance.refund) }
    case 'no_such_receipt':
      return errors.pixNotFound()
    case 'id_taken':
      return errors.refundIdTaken()
    case 'over_the_receipt':
      return refused('valor', 'O valor da devolução, somado aos já devolvidos, excederia o valor do Pix.')
    case 'too_late':
      return refused(
        'e2eid',
        'A devolução está fora da janela de 90 dias desde a data de liquidação original.',
      )
    default:
      return acceptance satisfies never
  }
}

function refused(field: string, razao: string): Answer {
  return errors.refundInvalid({ razao, propriedade: `pix.devolucao.${field}` })
}

function fitsQuery(receipt: Receipt, query: URLSearchParams, refunded: boolean): boolean {
  const wants = (name: string) => query.get(name)
  const document = wants('cpf') ?? wants('cnpj')
  return (
    (wants('txid') ?? receipt.txid) === receipt.txid &&
    (wants('txIdPresente') ?? String(receipt.txid !== null)) === String(receipt.txid !== null) &&
    (wants('devolucaoPresente') ?? String(refunded)) === String(refunded) &&
    (document ?? receipt.payerDocument) === receipt.payerDocument
  )
}
