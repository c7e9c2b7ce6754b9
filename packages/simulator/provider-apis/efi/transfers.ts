import { z } from 'zod'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import {
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  findMagicOutcome,
  findRecipientFault,
  type MagicOutcome,
} from '../../magic-recipients.ts'
import { readPayableCode } from '../../payer/payable-codes.ts'
import { detectDocumentKind, detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, SimulatedTransfer, TransferAcceptance } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildEfiListPage } from './list-page.ts'
import { presentEfiRailError, presentEfiSentPix, selectListedFields } from './presenters.ts'
import { efiCodePaymentBody, efiTransferBody, parseEfiBody } from './schemas.ts'

const TRANSFER_ID_PATTERN = /^[a-zA-Z0-9]{1,35}$/
/** The recipient's key of an order, for magic recipients; a constant, because creating a schema is expensive. */
const recipientKeySchema = z.object({ favorecido: z.object({ chave: z.string() }) })

type EfiTransferHandlers = Record<
  'send' | 'payCode' | 'showByEndToEnd' | 'showById' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
> & {
  findMagicFault(call: SimulatedCall): ConsumedFault<CallFault> | null
}

/** Creates the handlers of sent PIX, `/v3/gn/pix` and the look-ups under `/v2/gn/pix/enviados`. */
export function createEfiTransferHandlers(state: SimulatorState): EfiTransferHandlers {
  const { returns, transfers, store } = state
  const presentTransfer = (account: SimulatedAccount, transfer: SimulatedTransfer) =>
    presentEfiSentPix(transfer, returns.listReturns(transfer), selectListedFields(account))

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
    send: (call, outcome) => sendTransfer(state, call, outcome),
    payCode: (call, outcome) => payCode(state, call, outcome),
    showByEndToEnd: ({ account, params }) => {
      const transfer = transfers.findListedByEndToEnd(params.e2eId!)
      if (transfer?.accountId !== account.id) return errors.sentPixNotFound('e2eId')
      return { status: 200, body: presentTransfer(account, transfer) }
    },
    showById: ({ account, params }) => {
      const transfer = transfers.findListed(account.id, params.idEnvio!)
      return transfer
        ? { status: 200, body: presentTransfer(account, transfer) }
        : errors.sentPixNotFound('idEnvio')
    },
    list: call => {
      const { account, query } = call
      let isEmpty = true
      const present = (transfer: SimulatedTransfer) => presentTransfer(account, transfer)
      const page = buildEfiListPage(call, {
        field: 'pix',
        between: range => transfers.listBetween(account.id, range),
        matches(transfer) {
          const { status } = present(transfer)
          const isListed = (query.get('status') ?? status) === status
          if (isListed) isEmpty = false
          return isListed
        },
        present,
      })
      // "Consultar lista de Pix enviados" documents 404 for an empty list.
      const isDocumentedEmpty = isEmpty && !selectListedFields(account).unpublished && !call.view.unlistedItem
      return page.status === 200 && isDocumentedEmpty ? errors.noSentPix() : page
    },
  }
}

function sendTransfer(
  state: SimulatorState,
  { account, params, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, transfers } = state
  const parsed = parseEfiBody(efiTransferBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const { valor: cents, pagador, favorecido } = parsed.value
  const id = params.idEnvio!
  if (!TRANSFER_ID_PATTERN.test(id)) return errors.invalidValue('Campo idEnvio é inválido')
  if (cents === 0) return errors.invalidValue('Campo valor deve ser maior que zero')
  if (accounts.findByKey(pagador.chave)?.id !== account.id) return errors.keyNotOfAccount()
  const recipient = resolveRecipient(favorecido, accounts)
  if ('refusal' in recipient) return recipient.refusal

  // The id is checked before any outcome: a repeat must not be refused for another reason.
  if (transfers.find(account.id, id)) return errors.transferIdInUse()
  if (outcome.kind === 'left' || outcome.kind === 'left_then_removed') return insufficientBalance()
  const magic = account.amountMagic ? findAmountOutcome(cents) : findMagicOutcome(recipient, cents)
  if ('refused' in magic) return errors.paymentDenied(presentEfiRailError(magic.refused))
  return respondToTransfer(
    transfers.accept({
      account,
      id,
      cents,
      recipient,
      payerKey: pagador.chave,
      message: pagador.infoPagador ?? null,
      returnedCents: magic.returnedCents,
      outcome: outcome.kind === 'settles' ? magic.outcome : outcome,
    }),
  )
}

/** Pays a dynamic code with the value that it asks ("Pagar QR Code Pix"); its id is one of those of all sent PIX. */
function payCode(
  state: SimulatorState,
  { account, params, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { accounts, transfers } = state
  const parsed = parseEfiBody(efiCodePaymentBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const { pagador, pixCopiaECola } = parsed.value
  const id = params.idEnvio!
  if (accounts.findByKey(pagador.chave)?.id !== account.id) return errors.keyNotOfAccount()
  if (transfers.find(account.id, id)) return errors.transferIdInUse()
  const code = readPayableCode(state, pixCopiaECola)
  if (code.kind !== 'payable')
    return errors.codeRefused('O pixCopiaECola informado é inválido.', 'qrcode.pixCopiaECola')
  if (code.isStatic)
    return errors.codeRefused(
      'O pixCopiaECola informado é referente a uma cobrança estática',
      'qrcode.pixCopiaECola',
    )
  const noBalance = errors.codeRefused('Saldo insuficiente para realizar o pagamento', 'qrcode.pagador')
  const { cents, recipient } = code
  if (cents === null || outcome.kind === 'left' || outcome.kind === 'left_then_removed') return noBalance
  const magic = findMagicOutcome(recipient, cents)
  if ('refused' in magic) return errors.paymentDenied(presentEfiRailError(magic.refused))
  const accepted = transfers.accept({
    account,
    id,
    cents,
    recipient,
    payerKey: pagador.chave,
    message: pagador.infoPagador ?? null,
    returnedCents: magic.returnedCents,
    outcome: outcome.kind === 'settles' ? magic.outcome : outcome,
  })
  return accepted.kind === 'no_balance' ? noBalance : respondToTransfer(accepted)
}

function respondToTransfer(accepted: TransferAcceptance): SimulatedResponse {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 201, body: presentAcceptedTransfer(accepted.transfer) }
    case 'id_in_use':
      return errors.transferIdInUse()
    case 'no_balance':
      return insufficientBalance()
    default:
      return accepted satisfies never
  }
}

/** Builds the refusal for lack of balance. Efí documents none: this is its denied payment with the rail's code. */
function insufficientBalance(): SimulatedResponse {
  return errors.paymentDenied(presentEfiRailError('AM04'))
}

function presentAcceptedTransfer(transfer: SimulatedTransfer) {
  const { idEnvio, valor, horario } = presentEfiSentPix(transfer, [], { unpublished: false })
  const { endToEnd } = transfer
  // `e2eId` is the name in the documentation, `endToEndId` the one in the official SDK.
  return { idEnvio, e2eId: endToEnd, endToEndId: endToEnd, valor, horario, status: 'EM_PROCESSAMENTO' }
}

type EfiFavored = z.infer<typeof efiTransferBody>['favorecido']

/**
 * Finds the recipient. If the key's owner is known (a document, or a simulated account), it must match `cpf`/`cnpj`.
 */
function resolveRecipient(
  favored: EfiFavored,
  accounts: SimulatedAccounts,
): SimulatedRecipient | { refusal: SimulatedResponse } {
  const { chave: key, contaBanco: bank, cpf, cnpj } = favored
  if (bank) {
    const { nome: name, cpf: bankCpf, cnpj: bankCnpj, ...rest } = bank
    const account = { ispb: rest.codigoBanco, branch: rest.agencia, number: rest.conta }
    const document = bankCpf ?? bankCnpj ?? DEFAULT_RECIPIENT_DOCUMENT
    return { key: null, name, document, account, bank: rest }
  }
  if (key === undefined || detectKeyKind(key) === null)
    return { refusal: errors.invalidValue('Campo favorecido.chave é inválido') }
  const holder = accounts.findByKey(key)
  const owner = holder?.holderDocument ?? (detectDocumentKind(key) ? key : null)
  const expected = cpf ?? cnpj
  if (owner !== null && expected !== undefined && owner !== expected)
    return { refusal: errors.keyOwnerMismatch(cpf === undefined ? 'cnpj' : 'cpf') }
  return {
    key,
    name: holder?.holderName ?? DEFAULT_RECIPIENT_NAME,
    document: owner ?? expected ?? DEFAULT_RECIPIENT_DOCUMENT,
  }
}

/**
 * Finds the outcome of an amount as in Efí's sandbox (docs, "Envio e Pagamento Pix"): up to R$ 10 settles, up to R$
 * 20 is rejected by notification, above at once.
 */
function findAmountOutcome(cents: number): MagicOutcome {
  if (cents > 2_000) return { refused: 'AC03' }
  if (cents > 1_000) return { outcome: { kind: 'rejected', code: 'AC03' }, returnedCents: [] }
  const returnedCents = cents === 400 ? [200, 200] : cents === 500 ? [500] : []
  return { outcome: { kind: 'settles' }, returnedCents }
}
