import { searchBanks } from '../../../api/operations/banks.ts'
import {
  ACCOUNT_TRANSFERS_PATH,
  collectAccountTransferErrors,
  createAccountTransfer,
  quoteAccountTransfer,
} from '../../../api/operations/transfers.ts'
import {
  type CreateAccountTransferBody,
  createAccountTransferBody,
  toBankAccount,
} from '../../../contract/transfers/account-transfer.ts'
import { isIspb, normalizeIspb } from '../../../domain/pix/ispb.ts'
import type { ListedBank } from '../../../domain/pix/listed-banks.ts'
import { BANK_ACCOUNT_TYPES } from '../../../domain/pix/party.ts'
import { fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { parseFormFields, readText, validateFormFields } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { listAccountModes, tokenWithMode } from '../connections.ts'
import { ACCOUNT_FORM_PATH, TRANSFER_DESTINATIONS } from './destinations.ts'
import {
  readOrderFields,
  registerOrderForm,
  type ShownDestination,
  type TransferVisit,
} from './order-form.ts'
import { listAccountFacts } from './receiver.ts'

/** Fields of the receiver, and the bank that was chosen among those that its text finds. */
const RECEIVER_FIELDS = [
  'receiver.name',
  'receiver.document',
  'receiver.ispb',
  'chosen_ispb',
  'receiver.agency',
  'receiver.account',
  'receiver.account_type',
] as const

/** Most banks that the form offers to choose from. */
const MAX_OFFERED_BANKS = 8

const receiverBody = createAccountTransferBody.pick({ receiver: true })

/** Registers the form of a transfer to an account at a bank, whose bank is searched by name or code. */
export function registerAccountForm(router: DashboardRouter): void {
  const { post, dashboard } = router
  const renderForm = registerOrderForm<CreateAccountTransferBody>(router, {
    name: 'account',
    apiPath: ACCOUNT_TRANSFERS_PATH,
    carriedFields: RECEIVER_FIELDS,
    canSchedule: true,
    parseOrder: parseAccountOrder,
    quote: (_, { body, ...caller }) => quoteAccountTransfer(caller, body),
    create: (_, request) => createAccountTransfer(dashboard, request),
    describe: async visit => describeAccount(visit),
    renderFirstStep: renderAccountStep,
  })

  post('transfers.write', `${ACCOUNT_FORM_PATH}/receiver`, {
    async handle(visit) {
      const { em, form } = visit
      const errors: FieldErrors = {}
      const body = parseFormFields(receiverBody, { receiver: readReceiver(visit, errors) }, errors)
      const token = await tokenWithMode(visit)
      // Which types of account the providers pay is known before a value is.
      const unpayable = await collectAccountTransferErrors({ em: em.fork(), token, body })
      if (Object.keys(unpayable).length > 0) fail('validation_failed', { errors: unpayable })
      if (!form.has('value')) form.set('value', '')
      return renderForm(visit)
    },
    renderForm: renderAccountStep,
  })

  post('transfers.write', `${ACCOUNT_FORM_PATH}/banks`, {
    handle: async visit => createPage('bank-choices', offerBanks(visit)),
    renderForm: renderAccountStep,
  })
}

/** Reads the fields of the form as the body of POST /transfers/bank-accounts. */
function parseAccountOrder(visit: TransferVisit): CreateAccountTransferBody {
  const errors: FieldErrors = {}
  const fields = { ...readOrderFields(visit, errors), receiver: readReceiver(visit, errors) }
  return parseFormFields(createAccountTransferBody, fields, errors)
}

/** Reads the fields of the receiver as the API takes them; a bank that is not known is added to `errors`. */
function readReceiver({ form }: Pick<TransferVisit, 'form'>, errors: FieldErrors) {
  const readDigits = (name: string) => readText(form, name)?.replaceAll(/[\s.\-/]/g, '')
  return {
    name: readText(form, 'receiver.name'),
    document: readDigits('receiver.document'),
    ispb: chooseBank(form, errors),
    agency: readDigits('receiver.agency'),
    // Banks that write X as a check digit know it as 0 (docs/guide/en/transfers.md).
    account: readDigits('receiver.account')?.replace(/x$/i, '0'),
    account_type: form.get('receiver.account_type') ?? undefined,
  }
}

/** Returns the ISPB of the bank that the form names: chosen from those that its text finds, the only one, or one without a code. */
function chooseBank(form: URLSearchParams, errors: FieldErrors): string | undefined {
  const text = readText(form, 'receiver.ispb')
  if (text === undefined) return undefined
  const banks = searchBanks(text)
  const chosen =
    banks.find(({ ispb }) => ispb === form.get('chosen_ispb')) ?? banks.find(({ code }) => code === text)
  if (chosen) return chosen.ispb
  if (banks.length === 1) return banks[0]!.ispb
  const ispb = normalizeIspb(text)
  if (isIspb(ispb) && banks.length === 0) return ispb
  errors['receiver.ispb'] = [
    banks.length === 0
      ? 'must be the name, the COMPE code or the ISPB of a bank'
      : 'must be chosen from the banks that are listed',
  ]
  return undefined
}

/** The banks that the text of the form finds, and which of them is chosen. */
function offerBanks({ form }: Pick<TransferVisit, 'form'>) {
  const text = readText(form, 'receiver.ispb')
  const found: ListedBank[] = text === undefined ? [] : searchBanks(text)
  const chosenIspb = text === undefined ? undefined : chooseBank(form, {})
  const isOffered = ({ ispb }: ListedBank, index: number) => index < MAX_OFFERED_BANKS || ispb === chosenIspb
  const banks = found.filter(isOffered)
  return { bankText: text ?? '', banks, chosenIspb, hiddenBankCount: found.length - banks.length }
}

/** Describes the account of the form; null where its fields are not valid. */
function describeAccount(visit: TransferVisit): ShownDestination | null {
  const { t } = visit
  const result = validateFormFields(receiverBody, { receiver: readReceiver(visit, {}) as never })
  if (result.kind === 'invalid') return null
  const account = toBankAccount(result.value.receiver)
  return {
    destination: { kind: 'account', account },
    name: account.name,
    facts: listAccountFacts(visit, account),
    warnings: [t('transfer.accountUnchecked')],
  }
}

/** Renders the first step: who receives, and the account. */
async function renderAccountStep(visit: TransferVisit) {
  const { t } = visit
  const { mode } = await tokenWithMode(visit)
  const model = {
    ...offerBanks(visit),
    modes: await listAccountModes(visit),
    mode,
    destinations: TRANSFER_DESTINATIONS,
    destination: 'account',
    accountTypes: BANK_ACCOUNT_TYPES.map(type => [type, capitalize(t(`accountType.${type}`))]),
  }
  return createPage('transfer-account', model, ACCOUNT_FORM_PATH)
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
