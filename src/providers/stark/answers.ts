import {
  type AnswerRow,
  absentMeaning,
  documentAnswers,
  refusalByProvider,
} from '../adapter/documented-answers.ts'

const ERROR_PAGE = 'Stark Bank SDK for Elixir, StarkBank.Error; SDKs, Handling errors: status 400'
const BALANCE_TEST = 'Stark Bank SDK for Elixir, test/balance_test.exs; SDKs, Handling errors: status 400'
const DICT_KEY_TEST = 'Stark Bank SDK for Python, tests/api/testDictKey.py; SDKs, Handling errors: status 400'
const INVOICE_TEST = 'Stark Bank SDK for Python, tests/api/testInvoice.py; SDKs, Handling errors: status 400'
const DEPOSIT_TEST = 'Stark Bank SDK for Python, tests/api/testDeposit.py; SDKs, Handling errors: status 400'

const accessDenied = refusalByProvider('provider_denied')

/** Refusals of the credentials, documented for every call: the call was not carried out. */
const deniedAnswers: AnswerRow[] = [
  [400, 'invalidCredentials', accessDenied, ERROR_PAGE],
  [400, 'invalidProject', accessDenied, BALANCE_TEST],
]

/**
 * Lists the answers outside 2xx that Stark Bank's published texts explain, by call. docs/providers/stark.md shows this table.
 *
 * Stark Bank publishes the shape of its errors and two statuses, 400 and 500, and no list of codes: the codes here are those
 * that its SDKs' documents and tests name. Left out on purpose: the codes of `POST /v2/transfer`, because transfers are sent
 * by `POST /v2/verified-transfer`; `invalidTransfer`, because an absent transfer may still be created; and the refusal of a
 * second `externalId`, whose code is published nowhere.
 */
export const starkAnswers = documentAnswers({
  issueCharge: deniedAnswers,
  issueInvoice: [
    ...deniedAnswers,
    [400, 'invalidTaxId', refusalByProvider('provider_validation'), INVOICE_TEST],
    [400, 'invalidAmount', refusalByProvider('provider_validation'), INVOICE_TEST],
  ],
  findCharge: deniedAnswers,
  cancelCharge: deniedAnswers,
  reviseCharge: deniedAnswers,
  findPayment: [...deniedAnswers, [400, 'invalidDeposit', absentMeaning, DEPOSIT_TEST]],
  findInvoice: [...deniedAnswers, [400, 'invalidInvoice', absentMeaning, INVOICE_TEST]],
  findInvoicePayment: deniedAnswers,
  prepareRefund: deniedAnswers,
  refund: deniedAnswers,
  findRefund: deniedAnswers,
  prepareTransfer: [
    ...deniedAnswers,
    // Moves nothing; another provider may know the key.
    [400, 'invalidPixKey', refusalByProvider('pix_key_not_found'), DICT_KEY_TEST],
  ],
  // `invalidPixKey` may mean a key that Stark Bank does not accept, so it proves no absence.
  lookUpKey: [
    ...deniedAnswers,
    [400, 'invalidPixKey', refusalByProvider('pix_key_not_found'), DICT_KEY_TEST],
  ],
  sendTransfer: deniedAnswers,
  findTransfer: deniedAnswers,
  createRecurrence: deniedAnswers,
  findRecurrence: deniedAnswers,
  cancelRecurrence: deniedAnswers,
  requestDebit: deniedAnswers,
  findDebit: deniedAnswers,
  cancelDebit: deniedAnswers,
  retryDebit: deniedAnswers,
  identity: deniedAnswers,
  balances: deniedAnswers,
  statement: deniedAnswers,
  registerNotificationUrl: deniedAnswers,
  findNotificationKeys: deniedAnswers,
})

export type StarkCall = keyof typeof starkAnswers
