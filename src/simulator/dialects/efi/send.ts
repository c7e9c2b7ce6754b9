import { z } from 'zod'
import { pixKeyType } from '../../../domain/pix-key.ts'
import type { Accounts } from '../../accounts.ts'
import type { Answer, Call } from '../../calls.ts'
import type { Fate } from '../../events.ts'
import type { CallFault, Taken } from '../../faults.ts'
import {
  type Foretold,
  faultOfRecipient,
  foretold,
  RECIPIENT_DOCUMENT,
  RECIPIENT_NAME,
} from '../../recipients.ts'
import type { Recipient, Sending, SendingAcceptance } from '../../sendings.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { read, sendBody } from './schemas.ts'
import { railErrorOf, sentOf } from './words.ts'

const SEND_ID = /^[a-zA-Z0-9]{1,35}$/
/** As much of an order as says that its recipient is a magic one; made once, because making it is most of its price. */
const addressed = z.object({ favorecido: z.object({ chave: z.string() }) })

type Sends = Record<'send' | 'showByEndToEnd' | 'showById' | 'list', (call: Call, fate: Fate) => Answer> & {
  magicOf(call: Call): Taken<CallFault> | null
}

/** Sent PIX: `/v3/gn/pix` and the look-ups under `/v2/gn/pix/enviados`. */
export function sendsOf(world: World): Sends {
  const { returns, sendings, store } = world
  const shown = (sending: Sending) => sentOf(sending, returns.of(sending))

  return {
    magicOf: ({ account, params, body }) => {
      const { data } = addressed.safeParse(body)
      if (!data) return null
      return faultOfRecipient(store, {
        accountId: account.id,
        id: params.idEnvio!,
        key: data.favorecido.chave,
      })
    },
    send: (call, fate) => sent(world, call, fate),
    showByEndToEnd: ({ account, params }) => {
      const sending = sendings.ofEndToEnd(params.e2eId!)
      if (sending?.accountId !== account.id) return errors.sentNotFound('e2eId')
      return { status: 200, body: shown(sending) }
    },
    showById: ({ account, params }) => {
      const sending = sendings.find(account.id, params.idEnvio!)
      return sending ? { status: 200, body: shown(sending) } : errors.sentNotFound('idEnvio')
    },
    list: call =>
      listed(call, {
        field: 'pix',
        between: range => sendings.between(call.account.id, range),
        fits: sending => (call.query.get('status') ?? shown(sending).status) === shown(sending).status,
        shown,
      }),
  }
}

function sent(world: World, { account, params, body }: Call, fate: Fate): Answer {
  const { accounts, sendings } = world
  const asked = read(sendBody, body)
  if ('refusal' in asked) return asked.refusal
  const { valor: cents, pagador, favorecido } = asked.value
  const id = params.idEnvio!
  if (!SEND_ID.test(id)) return errors.invalidValue('Campo idEnvio é inválido')
  if (cents === 0) return errors.invalidValue('Campo valor deve ser maior que zero')
  if (accounts.ofKey(pagador.chave)?.id !== account.id) return errors.foreignKey()
  const recipient = recipientOf(favorecido, accounts)
  if ('refusal' in recipient) return recipient.refusal

  // What was taken before keeps its id, whatever this request would come to.
  if (sendings.find(account.id, id)) return errors.sendIdTaken()
  if (fate.kind === 'left') return noBalance()
  const magic = account.amountMagic ? amountMagic(cents) : foretold(recipient.key, cents)
  if ('refused' in magic) return errors.paymentDenied(railErrorOf(magic.refused))
  return answerTo(
    sendings.accept({
      ...{ account, id, cents, recipient },
      payerKey: pagador.chave,
      message: pagador.infoPagador ?? null,
      comesBack: magic.comesBack,
      fate: fate.kind === 'settles' ? magic.fate : fate,
    }),
  )
}

function answerTo(accepted: SendingAcceptance): Answer {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 201, body: acceptedBody(accepted.sending) }
    case 'id_taken':
      return errors.sendIdTaken()
    case 'no_balance':
      return noBalance()
    default:
      return accepted satisfies never
  }
}

/** Efí documents no refusal for lack of balance: the one that it documents for a denied payment, with the rail's code. */
function noBalance(): Answer {
  return errors.paymentDenied(railErrorOf('AM04'))
}

function acceptedBody(sending: Sending) {
  const { idEnvio, valor, horario } = sentOf(sending, [])
  const { endToEnd } = sending
  // The documentation says `e2eId`, the official SDK `endToEndId`.
  return { idEnvio, e2eId: endToEnd, endToEndId: endToEnd, valor, horario, status: 'EM_PROCESSAMENTO' }
}

type Favored = z.infer<typeof sendBody>['favorecido']

/** Who gets it. A key that tells its owner, by being a document or by being simulated, is checked against `cpf`/`cnpj`. */
function recipientOf(favored: Favored, accounts: Accounts): Recipient | { refusal: Answer } {
  const { chave: key, contaBanco: bank, cpf, cnpj } = favored
  if (bank) {
    const { nome: name, cpf: bankCpf, cnpj: bankCnpj, ...rest } = bank
    return { key: null, name, document: bankCpf ?? bankCnpj ?? RECIPIENT_DOCUMENT, bank: rest }
  }
  const type = key === undefined ? null : pixKeyType(key)
  if (key === undefined || type === null)
    return { refusal: errors.invalidValue('Campo favorecido.chave é inválido') }
  const holder = accounts.ofKey(key)
  const owner = holder?.holderDocument ?? (type === 'DOCUMENT' ? key : null)
  const expected = cpf ?? cnpj
  if (owner !== null && expected !== undefined && owner !== expected)
    return { refusal: errors.keyOfAnother(cpf === undefined ? 'cnpj' : 'cpf') }
  return {
    key,
    name: holder?.holderName ?? RECIPIENT_NAME,
    document: owner ?? expected ?? RECIPIENT_DOCUMENT,
  }
}

/** Efí's sandbox (docs, "Envio e Pagamento Pix"): up to 10 settles, up to 20 is rejected by notice, above at once. */
function amountMagic(cents: number): Foretold {
  if (cents > 2_000) return { refused: 'AC03' }
  if (cents > 1_000) return { fate: { kind: 'rejected', code: 'AC03' }, comesBack: [] }
  const comesBack = cents === 400 ? [200, 200] : cents === 500 ? [500] : []
  return { fate: { kind: 'settles' }, comesBack }
}
