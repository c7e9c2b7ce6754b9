import { z } from 'zod'
import { detectPixKeyType } from '../../../domain/pix-keys/pix-key.ts'
import type { SimulatedAccounts } from '../../accounts.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import {
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  findMagicOutcome,
  findRecipientFault,
  type MagicOutcome,
} from '../../magic-recipients.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, SimulatedTransfer, TransferAcceptance } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { presentEfiRailError, presentEfiSentPix } from './presenters.ts'
import { efiTransferBody, parseEfiBody } from './schemas.ts'

const TRANSFER_ID_PATTERN = /^[a-zA-Z0-9]{1,35}$/
/** As much of an order as says that its recipient is a magic one; made once, because making it is most of its price. */
const recipientKeySchema = z.object({ favorecido: z.object({ chave: z.string() }) })

type EfiTransferHandlers = Record<
  'send' | 'showByEndToEnd' | 'showById' | 'list',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
> & {
  findMagicFault(call: SimulatedCall): ConsumedFault<CallFault> | null
}

/** Sent PIX: `/v3/gn/pix` and the look-ups under `/v2/gn/pix/enviados`. */
export function createEfiTransferHandlers(world: SimulatorState): EfiTransferHandlers {
  const { returns, transfers: sendings, store } = world
  const shown = (sending: SimulatedTransfer) => presentEfiSentPix(sending, returns.listReturns(sending))

  return {
    findMagicFault: ({ account, params, body }) => {
      const { data } = recipientKeySchema.safeParse(body)
      if (!data) return null
      return findRecipientFault(store, {
        accountId: account.id,
        id: params.idEnvio!,
        key: data.favorecido.chave,
      })
    },
    send: (call, fate) => sendTransfer(world, call, fate),
    showByEndToEnd: ({ account, params }) => {
      const sending = sendings.findByEndToEnd(params.e2eId!)
      if (sending?.accountId !== account.id) return errors.sentPixNotFound('e2eId')
      return { status: 200, body: shown(sending) }
    },
    showById: ({ account, params }) => {
      const sending = sendings.find(account.id, params.idEnvio!)
      return sending ? { status: 200, body: shown(sending) } : errors.sentPixNotFound('idEnvio')
    },
    list: call =>
      buildEfiListPage(call, {
        field: 'pix',
        between: range => sendings.listBetween(call.account.id, range),
        matches: sending => (call.query.get('status') ?? shown(sending).status) === shown(sending).status,
        present: shown,
      }),
  }
}

function sendTransfer(
  world: SimulatorState,
  { account, params, body }: SimulatedCall,
  fate: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, transfers: sendings } = world
  const asked = parseEfiBody(efiTransferBody, body)
  if ('refusal' in asked) return asked.refusal
  const { valor: cents, pagador, favorecido } = asked.value
  const id = params.idEnvio!
  if (!TRANSFER_ID_PATTERN.test(id)) return errors.invalidValue('Campo idEnvio é inválido')
  if (cents === 0) return errors.invalidValue('Campo valor deve ser maior que zero')
  if (accounts.findByKey(pagador.chave)?.id !== account.id) return errors.keyNotOfAccount()
  const recipient = resolveRecipient(favorecido, accounts)
  if ('refusal' in recipient) return recipient.refusal

  // What was taken before keeps its id, whatever this request would come to.
  if (sendings.find(account.id, id)) return errors.transferIdInUse()
  if (fate.kind === 'left' || fate.kind === 'left_then_removed') return insufficientBalance()
  const magic = account.amountMagic ? findAmountOutcome(cents) : findMagicOutcome(recipient.key, cents)
  if ('refused' in magic) return errors.paymentDenied(presentEfiRailError(magic.refused))
  return respondToTransfer(
    sendings.accept({
      ...{ account, id, cents, recipient },
      payerKey: pagador.chave,
      message: pagador.infoPagador ?? null,
      returnedCents: magic.returnedCents,
      outcome: fate.kind === 'settles' ? magic.outcome : fate,
    }),
  )
}

function respondToTransfer(accepted: TransferAcceptance): SimulatedResponse {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 201, body: presentAcceptedTransfer(accepted.sending) }
    case 'id_taken':
      return errors.transferIdInUse()
    case 'no_balance':
      return insufficientBalance()
    default:
      return accepted satisfies never
  }
}

/** Efí documents no refusal for lack of balance: the one that it documents for a denied payment, with the rail's code. */
function insufficientBalance(): SimulatedResponse {
  return errors.paymentDenied(presentEfiRailError('AM04'))
}

function presentAcceptedTransfer(sending: SimulatedTransfer) {
  const { idEnvio, valor, horario } = presentEfiSentPix(sending, [])
  const { endToEnd } = sending
  // The documentation says `e2eId`, the official SDK `endToEndId`.
  return { idEnvio, e2eId: endToEnd, endToEndId: endToEnd, valor, horario, status: 'EM_PROCESSAMENTO' }
}

type EfiFavored = z.infer<typeof efiTransferBody>['favorecido']

/** Who gets it. A key that tells its owner, by being a document or by being simulated, is checked against `cpf`/`cnpj`. */
function resolveRecipient(
  favored: EfiFavored,
  accounts: SimulatedAccounts,
): SimulatedRecipient | { refusal: SimulatedResponse } {
  const { chave: key, contaBanco: bank, cpf, cnpj } = favored
  if (bank) {
    const { nome: name, cpf: bankCpf, cnpj: bankCnpj, ...rest } = bank
    return { key: null, name, document: bankCpf ?? bankCnpj ?? DEFAULT_RECIPIENT_DOCUMENT, bank: rest }
  }
  const type = key === undefined ? null : detectPixKeyType(key)
  if (key === undefined || type === null)
    return { refusal: errors.invalidValue('Campo favorecido.chave é inválido') }
  const holder = accounts.findByKey(key)
  const owner = holder?.holderDocument ?? (type === 'DOCUMENT' ? key : null)
  const expected = cpf ?? cnpj
  if (owner !== null && expected !== undefined && owner !== expected)
    return { refusal: errors.keyOwnerMismatch(cpf === undefined ? 'cnpj' : 'cpf') }
  return {
    key,
    name: holder?.holderName ?? DEFAULT_RECIPIENT_NAME,
    document: owner ?? expected ?? DEFAULT_RECIPIENT_DOCUMENT,
  }
}

/** Efí's sandbox (docs, "Envio e Pagamento Pix"): up to 10 settles, up to 20 is rejected by notice, above at once. */
function findAmountOutcome(cents: number): MagicOutcome {
  if (cents > 2_000) return { refused: 'AC03' }
  if (cents > 1_000) return { outcome: { kind: 'rejected', code: 'AC03' }, returnedCents: [] }
  const comesBack = cents === 400 ? [200, 200] : cents === 500 ? [500] : []
  return { outcome: { kind: 'settles' }, returnedCents: comesBack }
}
