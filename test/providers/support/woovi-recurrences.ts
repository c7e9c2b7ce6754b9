import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import { REFERENCE } from './woovi-fixture.ts'

/** Subscriptions of Pix Automático as Woovi's pages show them. */

export const RAIL_ID = 'RN5481141720250822YHKirVyWBjF'
export const SUBSCRIPTION_ID = 'UGF5bWVudFN1YnNjcmlwdGlvbjo2OGFjYmNkNGE5NTY1M2VmMjQzYjY2Zjc='
export const INSTALLMENT_ID = 'UGF5bWVudFN1YnNjcmlwdGlvbkluc3RhbGxtZW50OjY4YTg4MzIyZDY1Y2IyZDUwN2EyZWUzYg=='
export const DEBIT_TXID = '01K3942Y0DFEK73H541ZADVK0P'

const address = { street: 'Rua A', number: '100', city: 'Belo Horizonte', state: 'MG', zipCode: '30421322' }

export const subscriptionOrder: ProviderRecurrenceRequest = {
  reference: REFERENCE,
  subject: 'Assinatura do plano mensal de fibra',
  debtor: { name: 'Ana Souza', document: '52998224725', address },
  frequency: 'MONTHLY',
  startsOn: '2026-02-05',
  valueCents: 5_000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  collectionKey: null,
}

export const debit = { railId: RAIL_ID, recurrenceReference: REFERENCE, dueOn: '2026-02-05' }

export const subscriptionOf = (
  pixRecurring: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
) => ({
  subscription: {
    globalID: SUBSCRIPTION_ID,
    correlationID: REFERENCE,
    value: 5_000,
    status: 'ACTIVE',
    dayGenerateCharge: 5,
    customer: { name: 'Ana Souza', taxID: { taxID: '52998224725', type: 'BR:CPF' } },
    pixRecurring: {
      recurrencyId: RAIL_ID,
      emv: '00020101021226180014br.gov.bcb.pix',
      journey: 'ONLY_RECURRENCY',
      status: 'CREATED',
      ...pixRecurring,
    },
    ...changes,
  },
})

export const tryOf = (changes: Record<string, unknown> = {}) => ({
  tryStatus: 'SCHEDULED',
  value: 5_000,
  finalityPurpose: 'AGND',
  requestedExecutionDate: '2026-02-05T12:00:00.000Z',
  createdAt: '2026-02-01T03:01:58.543Z',
  updatedAt: '2026-02-01T03:04:03.921Z',
  ...changes,
})

/** An installment with its debit; `cobr` null: none is made yet. */
export const installmentOf = (
  cobr: Record<string, unknown> | null = {},
  changes: Record<string, unknown> = {},
) => ({
  globalID: INSTALLMENT_ID,
  dateGenerateCharge: '2026-02-05T12:00:00.000Z',
  expiration: 604_800,
  installmentNumber: 1,
  value: 5_000,
  status: cobr ? 'ACTIVE' : 'SCHEDULED',
  createdAt: '2026-01-10T12:00:00.000Z',
  cobr: cobr && {
    identifierId: DEBIT_TXID,
    recurrencyId: RAIL_ID,
    status: 'ACTIVE',
    tries: [tryOf()],
    value: 5_000,
    createdAt: '2026-02-01T03:01:58.543Z',
    ...cobr,
  },
  correlationID: REFERENCE,
  paymentSubscriptionGlobalID: SUBSCRIPTION_ID,
  ...changes,
})
