import { describe, expect, test } from '@jest/globals'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import type { ProviderChargeRequest } from '../../../src/domain/providers/provider.ts'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { CallUnderTest } from './answer-tables.ts'
import type { ProviderFixtureOptions, ScriptedProvider, ScriptedReply } from './scripted-provider.ts'

const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
const END_TO_END = 'E12345678202601101159abcdefghijk'
const IS_DUE = { isDue: true }
const CODE = '00020101021226...'

/** Every kind of member, and three days of a discount. */
const FULL_TERMS: DueTerms = {
  on: '2026-01-30',
  payableDaysAfter: 10,
  fine: { type: 'PERCENTAGE', basisPoints: 200 },
  interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'MONTH', days: 'CALENDAR' },
  abatement: { type: 'FIXED', cents: 50 },
  discount: {
    kind: 'until',
    steps: [
      { type: 'FIXED', cents: 100, on: '2026-01-20' },
      { type: 'FIXED', cents: 200, on: '2026-01-15' },
    ],
  },
}
const PLAIN_TERMS: DueTerms = {
  on: '2026-01-30',
  payableDaysAfter: 10,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
export const dueOrder: ProviderChargeRequest & { due: DueTerms } = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 60,
  collectionKey: 'loja@trilho.test',
  message: 'Pedido 7',
  additionalInfo: [{ name: 'Contrato', value: '2026/7' }],
  debtor: {
    name: 'Ana Souza',
    document: '52998224725',
    address: {
      street: 'Rua das Flores',
      number: '10',
      complement: 'apto 2',
      neighborhood: 'Centro',
      city: 'Recife',
      state: 'PE',
      zipCode: '70011750',
    },
  },
  due: FULL_TERMS,
}

/** The body of `dueOrder`. */
const REQUEST = {
  calendario: { dataDeVencimento: '2026-01-30', validadeAposVencimento: 10 },
  devedor: {
    cpf: '52998224725',
    nome: 'Ana Souza',
    logradouro: 'Rua das Flores, 10, apto 2, Centro',
    cidade: 'Recife',
    uf: 'PE',
    cep: '70011750',
  },
  valor: {
    original: '12.34',
    multa: { modalidade: 2, valorPerc: '2.00' },
    juros: { modalidade: 3, valorPerc: '1.00' },
    abatimento: { modalidade: 1, valorPerc: '0.50' },
    desconto: {
      modalidade: 1,
      descontoDataFixa: [
        { data: '2026-01-15', valorPerc: '2.00' },
        { data: '2026-01-20', valorPerc: '1.00' },
      ],
    },
  },
  chave: 'loja@trilho.test',
  solicitacaoPagador: 'Pedido 7',
  infoAdicionais: [{ nome: 'Contrato', valor: '2026/7' }],
}

/** The answer to `dueOrder`, with every field that the Central Bank's document has. */
export const cobvOf = (changes: Record<string, unknown> = {}) => ({
  ...REQUEST,
  calendario: { ...REQUEST.calendario, criacao: '2026-01-10T11:59:00.000Z' },
  txid: REFERENCE,
  revisao: 0,
  status: 'ATIVA',
  recebedor: {
    cnpj: '11222333000181',
    nome: 'Loja',
    logradouro: 'Rua 15, 1200',
    cidade: 'São Paulo',
    uf: 'SP',
    cep: '70800100',
  },
  pixCopiaECola: CODE,
  ...changes,
})
const plainCobv = (changes: Record<string, unknown> = {}) =>
  cobvOf({ valor: { original: '12.34' }, ...changes })

const paidPix = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '12.96',
  componentesValor: {
    original: { valor: '12.34' },
    multa: { valor: '0.30' },
    juros: { valor: '0.40' },
    desconto: { valor: '0.00' },
    abatimento: { valor: '0.08' },
  },
  horario: '2026-02-02T12:00:00.000Z',
  ...changes,
})

type DueStory = AsyncDisposable & {
  scripted: ScriptedProvider
  provider: Provider
  recorded: UnexplainedAnswer[]
}

export type DueChargesUnderTest = {
  name: string
  open(options?: ProviderFixtureOptions): Promise<DueStory>
  /** Path of the charge of `dueOrder`. */
  path: string
  /** The refusal of a charge that is not active. */
  notActive: ScriptedReply
  absent: ScriptedReply
}

const okReply = (json: unknown, status = 200): ScriptedReply => ({ status, json })

/** Tests the charges with a due date of an adapter over the Central Bank's Pix API. */
export function describeDueCharges({ name, open, path, notActive, absent }: DueChargesUnderTest): void {
  const issue = (provider: Provider, changes: Partial<ProviderChargeRequest> = {}) =>
    provider.issueCharge({ ...dueOrder, ...changes })
  const bodies = (story: DueStory) =>
    story.scripted.calls().flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body) as unknown]))

  describe(`${name}: issuing a charge with a due date`, () => {
    test('it is ordered with its debtor and its modalities, and ends after its last payable day', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${path}`, okReply(cobvOf(), 201))
      expect(await issue(story.provider)).toMatchObject({
        kind: 'accepted',
        // Ten days after a Friday: a Monday.
        charge: { txid: REFERENCE, payload: CODE, totalCents: 1234, expiresAt: '2026-02-10T03:00:00.000Z' },
      })
      expect(bodies(story)).toEqual([REQUEST])
    })

    test('members that the answer leaves out contradict nothing', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${path}`, okReply(plainCobv(), 201))
      expect(await issue(story.provider)).toMatchObject({ kind: 'accepted' })
    })

    test.each([
      ['value', { valor: { ...REQUEST.valor, original: '12.35' } }],
      ['due day', { calendario: { ...REQUEST.calendario, dataDeVencimento: '2026-01-31' } }],
      ['days after it', { calendario: { ...REQUEST.calendario, validadeAposVencimento: 9 } }],
      ['debtor', { devedor: { cpf: '12345678909', nome: 'Bia' } }],
      ['fine', { valor: { ...REQUEST.valor, multa: { modalidade: 1, valorPerc: '2.00' } } }],
      ['interest', { valor: { ...REQUEST.valor, juros: { modalidade: 3, valorPerc: '1.01' } } }],
      [
        'interest of no modality',
        { valor: { ...REQUEST.valor, juros: { modalidade: 9, valorPerc: '1.00' } } },
      ],
      ['discount', { valor: { ...REQUEST.valor, desconto: { modalidade: 4, valorPerc: '2.00' } } }],
    ])(
      'an answer with another %s is unknown, and under our txid the charge is another one',
      async (_, changes) => {
        await using story = await open()
        story.scripted.scriptReplies(`PUT ${path}`, okReply(cobvOf(changes), 201), notActive)
        story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf(changes)))
        expect(await issue(story.provider)).toMatchObject({ kind: 'unknown', code: 'unreadable_answer' })
        expect(await issue(story.provider)).toMatchObject({ kind: 'rejected', code: 'reference_in_use' })
      },
    )

    test('a refused repeat of our own order is accepted, and what is absent stays refused', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`PUT ${path}`, notActive, notActive)
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()), absent)
      expect(await issue(story.provider)).toMatchObject({ kind: 'accepted', charge: { payload: CODE } })
      expect(await issue(story.provider)).toMatchObject({ kind: 'rejected', finality: 'other_may_help' })
    })

    const fixedMonth = { type: 'FIXED', cents: 5, per: 'MONTH', days: 'CALENDAR' } as const
    const twoTypes = {
      kind: 'until',
      steps: [
        { type: 'FIXED', cents: 1, on: '2026-01-20' },
        { type: 'PERCENTAGE', basisPoints: 1, on: '2026-01-21' },
      ],
    } as const
    test.each<[string, Partial<ProviderChargeRequest>, string]>([
      ['without a debtor', { debtor: undefined as never }, 'debtor_missing'],
      ['to a CNPJ with letters', { debtor: { name: 'A', document: '12ABC34501DE35' } }, 'debtor_unsupported'],
      ['without a collection key', { collectionKey: null }, 'collection_key_missing'],
      [
        'with an amount of interest a month',
        { due: { ...PLAIN_TERMS, interest: fixedMonth } },
        'due_terms_unsupported',
      ],
      [
        'with days of two types',
        { due: { ...PLAIN_TERMS, discount: { ...twoTypes, steps: [...twoTypes.steps] } } },
        'due_terms_unsupported',
      ],
    ])('a charge %s is refused without a call', async (_, changes, code) => {
      await using story = await open()
      expect(await issue(story.provider, changes)).toMatchObject({
        kind: 'rejected',
        finality: 'other_may_help',
        code,
      })
      expect(story.scripted.seen).toEqual([])
    })
  })

  describe(`${name}: a charge with a due date`, () => {
    test('its payment has the parts that the provider computed', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf({ status: 'CONCLUIDA', pix: [paidPix()] })))
      const found = await story.provider.findCharge(REFERENCE, IS_DUE)
      expect(found).toMatchObject({
        kind: 'found',
        status: 'completed',
        payments: [
          {
            cents: 1296,
            parts: {
              originalCents: 1234,
              fineCents: 30,
              interestCents: 40,
              discountCents: 0,
              abatementCents: 8,
            },
          },
        ],
      })
    })

    test.each([
      ['that was changed', 1, undefined],
      ['as it was ordered', 0, 1234],
    ])('%s it reports the amount that was ordered, or none', async (_, revisao, totalCents) => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf({ revisao })))
      const found = await story.provider.findCharge(REFERENCE, IS_DUE)
      expect(found.kind === 'found' && found.charge.totalCents).toBe(totalCents)
    })

    test.each([
      ['parts that do not add up to its value', { valor: '12.97' }],
      ['no parts', { componentesValor: undefined }],
      ['unreadable parts', { componentesValor: { original: 12 } }],
    ])('a payment with %s counts with its value alone', async (_, changes) => {
      await using story = await open()
      const pix = [paidPix(changes)]
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf({ status: 'CONCLUIDA', pix })))
      const found = await story.provider.findCharge(REFERENCE, IS_DUE)
      expect(found.kind === 'found' && found.payments).toEqual([expect.not.objectContaining({ parts: {} })])
      expect(found.kind === 'found' && found.payments[0]!.parts).toBeUndefined()
    })

    test.each([
      ['the last payable day', '2026-02-10T02:59:59Z', 'open'],
      ['the minute after it', '2026-02-10T03:00:59Z', 'open'],
      ['the time after that', '2026-02-10T03:01:00Z', 'expired'],
    ])('on %s it is as long payable', async (_, at, status) => {
      await using story = await open({ now: () => Date.parse(at) })
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()))
      expect(await story.provider.findCharge(REFERENCE, IS_DUE)).toMatchObject({ kind: 'found', status })
    })

    test('it is cancelled, and looked up where that is refused', async () => {
      await using story = await open()
      const removed = cobvOf({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
      story.scripted.scriptReplies(`PATCH ${path}`, okReply(removed), notActive, absent)
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf({ status: 'CONCLUIDA', pix: [paidPix()] })))
      const cancel = () => story.provider.cancelCharge(REFERENCE, IS_DUE)
      expect(await cancel()).toEqual({ kind: 'cancelled' })
      expect(await cancel()).toMatchObject({ kind: 'refused', code: 'charge_refused' })
      expect(await cancel()).toEqual({ kind: 'not_found' })
      expect(bodies(story)[0]).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' })
    })
  })

  describe(`${name}: revising a charge with a due date`, () => {
    const later = { ...FULL_TERMS, on: '2026-02-06' }
    const revisedCobv = (changes: Record<string, unknown> = {}) =>
      cobvOf({
        revisao: 1,
        calendario: { dataDeVencimento: '2026-02-06', validadeAposVencimento: 10 },
        valor: { ...REQUEST.valor, original: '20.00' },
        ...changes,
      })
    const revise = (provider: Provider) =>
      provider.reviseCharge!({ reference: REFERENCE, totalCents: 2000, due: later })

    test('it is changed once: after a lost answer it is looked up and found changed', async () => {
      await using story = await open({ reply: 'hang' })
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()), okReply(revisedCobv()))
      story.scripted.scriptReplies(`PATCH ${path}`, 'hang')
      expect(await revise(story.provider)).toMatchObject({ kind: 'no_answer', code: 'timeout' })
      expect(await revise(story.provider)).toMatchObject({
        kind: 'revised',
        charge: { totalCents: 2000, payload: CODE, expiresAt: '2026-02-19T03:00:00.000Z' },
      })
      expect(bodies(story)).toEqual([
        {
          calendario: { dataDeVencimento: '2026-02-06', validadeAposVencimento: 10 },
          valor: { ...REQUEST.valor, original: '20.00' },
        },
      ])
    })

    test('a lost request is sent again, the same', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()), okReply(cobvOf()))
      story.scripted.scriptReplies(`PATCH ${path}`, { status: 500, text: '' }, okReply(revisedCobv()))
      expect(await revise(story.provider)).toMatchObject({ kind: 'no_answer' })
      expect(await revise(story.provider)).toMatchObject({ kind: 'revised' })
      const [first, second] = bodies(story)
      expect(second).toEqual(first)
    })

    test('a member that the new terms no longer have is replaced by nothing', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()))
      const nothing = { modalidade: 1, valorPerc: '0.00' }
      const valor = {
        original: '12.34',
        multa: nothing,
        juros: nothing,
        abatimento: nothing,
        desconto: { modalidade: 3, valorPerc: '0.00' },
      }
      story.scripted.scriptReplies(`PATCH ${path}`, okReply(cobvOf({ valor, revisao: 1 })))
      const revision = { reference: REFERENCE, due: PLAIN_TERMS }
      expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind: 'revised' })
      expect(bodies(story)).toEqual([{ calendario: REQUEST.calendario, valor }])
    })

    test('an amount alone keeps the terms, and an answer that lost them is none', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()), okReply(cobvOf()))
      const valor = { ...REQUEST.valor, original: '20.00' }
      story.scripted.scriptReplies(
        `PATCH ${path}`,
        okReply(cobvOf({ valor })),
        okReply(plainCobv({ valor: { original: '20.00' } })),
      )
      const reviseAmount = () => story.provider.reviseCharge!({ reference: REFERENCE, totalCents: 2000 })
      expect(await reviseAmount()).toMatchObject({ kind: 'revised' })
      expect(bodies(story)).toEqual([{ valor }])
      expect(await reviseAmount()).toMatchObject({ kind: 'no_answer', code: 'unreadable_answer' })
    })

    test('a message alone is changed', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()))
      story.scripted.scriptReplies(`PATCH ${path}`, okReply(cobvOf({ solicitacaoPagador: 'Pedido 8' })))
      const revision = { reference: REFERENCE, message: 'Pedido 8' }
      expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind: 'revised' })
      expect(bodies(story)).toEqual([{ solicitacaoPagador: 'Pedido 8', valor: REQUEST.valor }])
    })

    test.each([
      ['is left out', undefined, 'revised'],
      ['is the former one', 'Pedido 7', 'no_answer'],
    ])('a message that %s in the answer', async (_, solicitacaoPagador, kind) => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf({ solicitacaoPagador })))
      story.scripted.scriptReplies(`PATCH ${path}`, okReply(cobvOf({ solicitacaoPagador })))
      const revision = { reference: REFERENCE, message: 'Pedido 8' }
      expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind })
      expect(bodies(story)).toHaveLength(1)
    })

    test.each(['CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR', 'REMOVIDA_PELO_PSP'])(
      'one that is %s is refused without a change, even where it asks for the same',
      async status => {
        await using story = await open()
        story.scripted.scriptReplies(`GET ${path}`, okReply(revisedCobv({ status, pix: [paidPix()] })))
        expect(await revise(story.provider)).toMatchObject({ kind: 'refused', code: 'charge_refused' })
        expect(story.scripted.calls()).toHaveLength(1)
      },
    )

    test('one that is paid meanwhile is refused, and an absent one is not found', async () => {
      await using story = await open()
      story.scripted.scriptReplies(`GET ${path}`, okReply(cobvOf()), absent)
      story.scripted.scriptReplies(`PATCH ${path}`, notActive)
      expect(await revise(story.provider)).toMatchObject({ kind: 'refused', code: 'charge_refused' })
      expect(await revise(story.provider)).toEqual({ kind: 'not_found' })
    })
  })
}

/** The calls of a table of answers about charges with a due date. `absent`: what a look-up answers where there is none. */
export function buildDueCallsUnderTest(absent: { status: number; body: string }) {
  const cobv = { status: 200, body: JSON.stringify(cobvOf()) }
  const unavailable = { status: 503, body: '' }
  const isChargeRefusal = ({ meaning }: { meaning: { kind: string; code?: string } }) =>
    meaning.kind === 'refused' && meaning.code === 'charge_refused'
  const calls = {
    issueDueCharge: {
      make: provider => provider.issueCharge(dueOrder),
      unprovenKind: 'unknown',
      others: absent,
    },
    findDueCharge: {
      make: provider => provider.findCharge(REFERENCE, IS_DUE),
      unprovenKind: 'no_answer',
    },
    cancelDueCharge: {
      make: provider => provider.cancelCharge(REFERENCE, IS_DUE),
      unprovenKind: 'no_answer',
      others: unavailable,
      // The charge's current state decides.
      refused: answer => (isChargeRefusal(answer) ? { kind: 'no_answer' } : undefined),
    },
    reviseCharge: {
      make: provider => provider.reviseCharge!({ reference: REFERENCE, totalCents: 2000 }),
      unprovenKind: 'no_answer',
      requestPath: /^PATCH /,
      others: cobv,
      refused: answer => (isChargeRefusal(answer) ? { kind: 'refused', code: 'charge_refused' } : undefined),
    },
  } satisfies Record<string, CallUnderTest>
  return calls
}
