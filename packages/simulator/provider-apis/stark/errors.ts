import { detectContentType, type FailureResponses, type SimulatedResponse } from '../../provider-calls.ts'

// Stark's errors: `{errors: [{code, message}]}`, 400 for a mistake of the caller and 500 (Stark's OpenAPI document 3.1, `Errors`; SDK,
// "Handling errors"). Published are the codes `invalidCredentials`, with its sentence, and `internalServerError` (documentation of
// the Elixir SDK), and the reason `invalidBalance` of a transfer that failed (tests of the Python SDK); the other codes
// and sentences imitate them.

function buildStarkError(code: string, message: string, status = 400): SimulatedResponse {
  return { status, body: { errors: [{ code, message }] } }
}

const buildProxyResponse = (status: number, text: string): SimulatedResponse => ({
  status,
  body: text,
  headers: { 'content-type': detectContentType(text) },
})

export const invalidCredentials = () =>
  buildStarkError(
    'invalidCredentials',
    'Provided digital signature in the header Access-Signature does not check out. See https://docs.api.starkbank.com/#auth for details.',
  )
export const invalidAccessTime = () =>
  buildStarkError('invalidAccessTime', 'Access-Time must be within 5 minutes of the current time')
export const starkMalformedJson = () => buildStarkError('invalidJson', 'The body of the request is not JSON')
export const starkInvalidFields = (messages: string[]): SimulatedResponse => ({
  status: 400,
  body: { errors: messages.map(message => ({ code: 'invalidParameters', message })) },
})
export const starkNotFound = (resource: string) =>
  buildStarkError(`invalid${resource}Id`, `No such ${resource} was found`)
export const unknownCursor = () => buildStarkError('invalidCursor', 'The cursor is not valid')

export const paidOnce = () => buildStarkError('invalidInvoice', 'A paid invoice can only be decreased')
export const invoiceCanceled = () => buildStarkError('invalidInvoice', 'A canceled invoice cannot be changed')
export const notPaid = () => buildStarkError('invalidInvoice', 'The invoice has not been paid')
export const amountNotDecreased = () =>
  buildStarkError('invalidAmount', 'The amount can only be decreased, to zero at least')
export const reversalTooLate = () =>
  buildStarkError('invalidDeposit', 'It was received too long ago to be reversed')

export const keyUnknown = () => buildStarkError('invalidKeyId', 'The Pix key is not valid')
export const accountNotActive = (index: number) =>
  buildStarkError('invalidAccountId', `Element ${index}: the verified account is not active`)
export const accountUnknown = (index: number) =>
  buildStarkError('invalidAccountId', `Element ${index}: no such verified account was found`)
export const duplicatedExternalId = (index: number) =>
  buildStarkError('duplicatedExternalId', `Element ${index}: externalId has already been used`)
export const repeatedTransfer = (index: number) =>
  buildStarkError('duplicatedTransfer', `Element ${index}: amount and receiver repeat a transfer of today`)
export const scheduleUnsupported = (index: number) =>
  buildStarkError('invalidScheduled', `Element ${index}: the simulator has no scheduled transfers`)
export const transferProcessed = () =>
  buildStarkError('invalidTransfer', 'Only a transfer that is not being processed can be canceled')

export const journeyUnsupported = (index: number) =>
  buildStarkError('invalidType', `Element ${index}: the simulator has no subscriptions with a first payment`)
export const payerAccountMissing = (index: number) =>
  buildStarkError('invalidData', `Element ${index}: data must name the account of the payer`)
export const amountMissing = (index: number) =>
  buildStarkError('invalidAmount', `Element ${index}: amount or amountMinLimit is required`)
export const invalidSchedule = (index: number) =>
  buildStarkError('invalidDue', `Element ${index}: the day is not valid`)
export const subscriptionUnknown = (index: number) =>
  buildStarkError('invalidSubscriptionId', `Element ${index}: no such subscription can be charged`)
export const invoiceUnknown = (index: number) =>
  buildStarkError('invalidInvoiceId', `Element ${index}: no such invoice can be pulled`)
export const cycleInUse = (index: number) =>
  buildStarkError('invalidDue', `Element ${index}: the cycle has a request already`)
export const retryRefused = (index: number, why: string) =>
  buildStarkError('invalidAttemptType', `Element ${index}: the invoice cannot be retried (${why})`)
export const subscriptionNotActive = () =>
  buildStarkError('invalidSubscription', 'Only an active subscription can be canceled')
export const requestNotPending = () =>
  buildStarkError('invalidRequest', 'The request cannot be canceled any more')

export const webhookUrlInvalid = () => buildStarkError('invalidUrl', 'url must be an https URL')

/** The reason of a transfer that failed for lack of balance. */
export const BALANCE_REASON = 'invalidBalance'

/** Stark's responses for faults. */
export const starkFailures: FailureResponses = {
  documentedRefusal: invalidCredentials,
  tooManyRequests: () => ({
    ...buildStarkError('tooManyRequests', 'Too many requests', 429),
    headers: { 'Retry-After': '1' },
  }),
  internalError: () => buildStarkError('internalServerError', 'The API has run into an internal error', 500),
  unknownRoute: () => buildStarkError('routeNotFound', 'The requested route does not exist', 404),
  unlistedRefusals: [
    buildStarkError('underReview', 'The operation is under review'),
    buildStarkError('operationConflict', 'The operation is being processed already', 409),
    { status: 400, body: { errors: [] } },
    { status: 422, body: { message: 'Unprocessable Entity', code: 17 } },
    buildProxyResponse(403, '<html><body><h1>403 Forbidden</h1></body></html>'),
    buildProxyResponse(429, 'Too many requests'),
    buildProxyResponse(425, ''),
    buildProxyResponse(404, 'default backend - 404'),
    { status: 401, body: { message: 'Unauthorized' } },
    { status: 499, body: { error: { code: 12, details: ['timeout'] } } },
  ],
}
