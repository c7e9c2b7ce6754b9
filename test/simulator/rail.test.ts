import { setTimeout as sleep } from 'node:timers/promises'
import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload'
import { getPixPayloadInfo } from '@brazilian-utils/brazilian-utils/get-pix-payload-info'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pino from 'pino'
import {
  buildDynamicBrCode,
  buildStaticBrCode,
  crc16,
  parseBrCode,
} from '../../packages/simulator/br-code.ts'
import {
  buildEndToEndId as endToEndId,
  isEndToEndId,
  isReturnId,
  buildReturnId as returnId,
} from '../../packages/simulator/ids.ts'
import { buildEfiNotificationUrl } from '../../packages/simulator/provider-apis/efi/notifications.ts'
import { createTaskSchedule } from '../../packages/simulator/schedule.ts'
import { openStore } from '../../packages/simulator/store.ts'
import vectors from '../domain/support/vectors.json' with { type: 'json' }
import { createTemporaryFolder } from '../support/servers.ts'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

describe('rail ids', () => {
  const PARTS = { ispb: '12345678', at: '2026-09-28T14:35:00.000Z', suffix: 'abcDEF12345' }

  describe('rail ids of the vectors', () => {
    test.each(vectors.e2e_valid)('%s is an end-to-end id', id => {
      expect([isEndToEndId(id), isReturnId(id)]).toEqual([true, false])
    })
    test.each(vectors.rtr_valid)('%s is a return id', id => {
      expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, true])
    })
    test.each(vectors.e2e_invalid)('%s is neither', id => {
      expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, false])
    })
  })

  describe('the minute in a rail id exists', () => {
    test.each([
      ['202601010000', true],
      ['202612312359', true],
      ['202402290000', true],
      ['202602290000', false],
      ['200002290000', true],
      ['210002290000', false],
      ['202604310000', false],
      ['202600010000', false],
      ['202613010000', false],
      ['202601000000', false],
      ['202601320000', false],
      ['202601012400', false],
      ['202601010060', false],
    ])('%s: %s', (minute, exists) => {
      expect(isEndToEndId(`E12345678${minute}abcDEF12345`)).toBe(exists)
      expect(isReturnId(`D12345678${minute}abcDEF12345`)).toBe(exists)
    })
  })

  test.each([
    '',
    'E12345678202609281435abcDEF1234',
    'E12345678202609281435abcDEF123456',
    'E12345678202609281435abcDEF1234\n',
    'E1234567a202609281435abcDEF12345',
    'E12345678202609281435abcDEF1234é',
    'X12345678202609281435abcDEF12345',
  ])('%j is no rail id', id => expect([isEndToEndId(id), isReturnId(id)]).toEqual([false, false]))

  test('a rail id is its letter, ISPB, minute and suffix', () => {
    expect(endToEndId(PARTS)).toBe('E12345678202609281435abcDEF12345')
    expect(returnId(PARTS)).toBe('D12345678202609281435abcDEF12345')
    expect(endToEndId({ ...PARTS, ispb: '99999A03', at: '2026-09-28T14:35Z' })).toBe(vectors.e2e_valid.at(-1))
  })

  test('a rail id built for any minute is valid', () => {
    for (let at = Date.UTC(2023, 11, 25); at < Date.UTC(2028, 2, 5); at += 41_234_567) {
      const parts = { ...PARTS, at: new Date(at).toISOString() }
      expect([endToEndId(parts), isEndToEndId(endToEndId(parts))]).toEqual([endToEndId(parts), true])
      expect([returnId(parts), isReturnId(returnId(parts))]).toEqual([returnId(parts), true])
    }
  })

  test.each([
    { ispb: '1234567' },
    { ispb: '123456789' },
    { ispb: '123456789', suffix: 'abcDEF1234' },
    { ispb: '1234567x' },
    { at: '2026-09-28T14:35:00-03:00' },
    { at: '2026-09-28T14:35:00' },
    { at: '2026-13-28T14:35:00Z' },
    { at: 'now' },
    { suffix: 'abcDEF1234' },
    { suffix: 'abcDEF123456' },
    { suffix: 'abcDEF1234-' },
  ])('no rail id is built from %j', wrong => {
    expect(() => endToEndId({ ...PARTS, ...wrong })).toThrow(RangeError)
    expect(() => returnId({ ...PARTS, ...wrong })).toThrow(RangeError)
  })
})

describe('movements', () => {
  let simulator: SimulatorFixture
  let efi: EfiClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    efi = await simulator.createShop({ balance: 100 })
  })
  afterAll(() => simulator.close())

  const move = (
    kind: Parameters<SimulatorFixture['control']['moveMoney']>[0]['kind'],
    value: number,
    end_to_end?: string,
  ) => simulator.control.moveMoney({ provider: 'PROVIDER_A', account: 'shop', kind, value, end_to_end })
  const period = () => {
    const day = 86_400_000
    const [inicio, fim] = [-day, day].map(ms => new Date(Date.now() + ms).toISOString())
    return `inicio=${inicio}&fim=${fim}`
  }

  test('tariffs, withdrawals and credits change the balance and have no end-to-end id', async () => {
    const { balance } = await simulator.control.findAccount('shop')
    expect(await move('tariff', 1.5)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      end_to_end: null,
    })
    await move('withdrawal', 20)
    await move('credit', 5)
    expect((await simulator.control.findAccount('shop')).balance).toBe(balance - 16.5)
    const lines = (await simulator.control.listStatement('PROVIDER_A')).slice(-3)
    expect(lines.map(({ kind, value, end_to_end }) => [kind, value, end_to_end])).toEqual([
      ['tariff', 1.5, null],
      ['withdrawal', 20, null],
      ['credit', 5, null],
    ])
  })

  test('a judicial block keeps money in the account; only a blocked amount is released', async () => {
    const accountBefore = await simulator.control.findAccount('shop')
    await move('block', 30)
    const after = await simulator.control.findAccount('shop')
    expect([after.balance, after.blocked]).toEqual([accountBefore.balance - 30, accountBefore.blocked + 30])
    expect((await efi.get('/v2/gn/saldo?bloqueios=true')).body.bloqueios).toEqual({
      judicial: '30.00',
      med: '0.00',
      total: '30.00',
    })
    await expect(move('unblock', 30.01)).rejects.toMatchObject({ status: 409 })
    await move('unblock', 30)
    expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)
  })

  test('a return in the panel has an id of the provider, and never exceeds the PIX', async () => {
    const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 10 })
    const returnMovement = await move('return', 4, end_to_end)
    const { body } = await pollUntil(
      () => efi.get(`/v2/pix/${end_to_end}`),
      answer => answer.body.devolucoes?.[0]?.status === 'DEVOLVIDO',
    )
    expect(body.devolucoes).toMatchObject([
      { id: returnMovement.id, rtrId: returnMovement.end_to_end, valor: '4.00' },
    ])
    await expect(move('return', 6.01, end_to_end)).rejects.toMatchObject({ status: 409 })
  })

  test('a PIX sent in the panel is listed without an id of ours', async () => {
    const { end_to_end } = await move('send', 3)
    const { body } = await pollUntil(
      () => efi.get(`/v2/gn/pix/enviados/${end_to_end}`),
      answer => answer.body.status === 'REALIZADO',
    )
    expect(body).not.toHaveProperty('idEnvio')
    const { pix } = (await efi.get(`/v2/gn/pix/enviados?${period()}`)).body
    expect(pix.map((one: { endToEndId: string }) => one.endToEndId)).toContain(end_to_end)
  })

  test('a movement beyond the balance, or of an unknown account, is refused and changes nothing', async () => {
    const accountBefore = await simulator.control.findAccount('shop')
    for (const kind of ['tariff', 'withdrawal', 'block', 'send'] as const)
      await expect(move(kind, 1_000_000)).rejects.toMatchObject({ status: 409 })
    await expect(
      simulator.control.moveMoney({ provider: 'PROVIDER_B', kind: 'tariff', value: 1 }),
    ).rejects.toMatchObject({
      status: 404,
    })
    await expect(move('return', 1)).rejects.toMatchObject({ status: 422 })
    expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)
  })
})

describe('schedule', () => {
  test('what became due because the clock was set forward is run with the next entry, in the order of its time', async () => {
    const folder = await createTemporaryFolder()
    const store = openStore(folder.path)
    let aheadMs = 0
    const now = () => new Date(Date.now() + aheadMs)
    const schedule = createTaskSchedule({ store, now, log: pino({ level: 'silent' }) })
    const done: string[] = []
    const all = Promise.withResolvers<void>()
    schedule.registerHandler('settle_refund', (name: string) => {
      if (done.push(name) === 2) all.resolve()
      return undefined
    })
    schedule.start()
    try {
      schedule.add({ task: 'settle_refund', input: 'earlier', afterMs: 60_000 })
      await sleep(50) // Its timer is set.
      aheadMs = 60_000
      schedule.add({ task: 'settle_refund', input: 'later', afterMs: 50 })
      await all.promise
      expect(done).toEqual(['earlier', 'later'])
    } finally {
      await schedule.stop()
      store.close()
      await folder.remove()
    }
  }, 20_000)
})

describe('notification address', () => {
  test.each([
    ['https://trilho.test/provider-notifications/1', 'https://trilho.test/provider-notifications/1/pix'],
    ['https://trilho.test/provider-notifications/1/', 'https://trilho.test/provider-notifications/1/pix'],
    [
      'https://trilho.test/provider-notifications/1?hmac=x',
      'https://trilho.test/provider-notifications/1/pix?hmac=x',
    ],
    ['https://trilho.test', 'https://trilho.test/pix'],
    [
      'https://trilho.test/provider-notifications/1?hmac=x&ignorar=',
      'https://trilho.test/provider-notifications/1?hmac=x&ignorar=',
    ],
  ])('Efí, configured with %s, calls %s', (registered, called) => {
    expect(buildEfiNotificationUrl(registered, 'pix')).toBe(called)
  })
})

describe('br code', () => {
  const EVP = '123e4567-e12b-12d1-a456-426655440000'
  const MANUAL = { merchantName: 'Fulano de Tal', merchantCity: 'BRASILIA' }
  const URL = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441'
  const [STATIC_OF_MANUAL, DYNAMIC_OF_MANUAL] = vectors.brcode_valid.map(({ v }) => v) as [string, string]
  const AMOUNTS = [0, 1, 10, 99, 100, 435, 1_000, 100_005, 999_999_999_999]

  test.each(vectors.crc16_ccitt_false)('the CRC of $in is $out', v => expect(crc16(v.in)).toBe(v.out))

  describe('the vectors are read', () => {
    const open = { url: null, key: null, totalCents: null, txid: '***', ...MANUAL }
    const REC = 'pix.example.com/qr/v2'
    const READ: Record<string, object> = {
      static: { ...open, key: EVP },
      dynamic: { ...open, url: URL },
      'composite cob+rec': { ...open, url: `${REC}/8b3da2f39a4140d1a91abd93113bd441` },
      'composite cobv+rec': { ...open, url: `${REC}/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7` },
      'recurrence only': open,
      'static, e-mail key, description': { key: 'thalesog@me.com', totalCents: 1_000 },
      'static amount+txid': { key: 'pix@bcb.gov.br', totalCents: 1_000, txid: 'PEDIDO123' },
      'static, alphanumeric CNPJ key': { key: '12ABC34501DE35', totalCents: 1 },
      'dynamic, all maxima (url 77, name 25, city 15, template 26 = 99)': {
        merchantName: 'A'.repeat(25),
        merchantCity: 'B'.repeat(15),
      },
    }
    test.each(vectors.brcode_valid)('$kind', ({ v, kind }) => {
      expect(READ[kind]).toBeDefined()
      expect(parseBrCode(v)).toMatchObject({ kind: 'valid', ...READ[kind] })
    })
    test.each(vectors.brcode_invalid)('refused: $why', ({ v }) => {
      expect(parseBrCode(v)).toMatchObject({ kind: 'invalid' })
    })
    test.each(vectors.brcode_valid)('no single character of "$kind" can change', ({ v }) => {
      for (let at = 0; at < v.length; at++) {
        const changed = v.slice(0, at) + (v[at] === '0' ? '1' : '0') + v.slice(at + 1)
        expect([changed, parseBrCode(changed).kind]).toEqual([changed, 'invalid'])
      }
    })
  })

  describe('a changed payload with a new checksum', () => {
    test.each([
      ['0014br.gov.bcb.pix', '0014BR.GOV.BCB.PIX', 'valid'],
      ['000201', '000201010211', 'valid'],
      ['5802BR', '5402105802BR', 'valid'],
      ['5802BR', '540310.5802BR', 'valid'],
      ['6008BRASILIA', '6008BRASILIA610870074900', 'valid'],
      ['5204', '27150011com.example5204', 'valid'],
      ['000201', '000202', 'field 00 is missing or malformed'],
      ['000201', '000201010213', 'field 01 is missing or malformed'],
      ['000201', '5303986000201', 'its fields do not add up'],
      ['52040000', '', 'field 52 is missing or malformed'],
      ['5303986', '5303840', 'field 53 is missing or malformed'],
      ['5802BR', '54041,005802BR', 'field 54 is missing or malformed'],
      ['5802BR', '54051.0055802BR', 'field 54 is missing or malformed'],
      ['5802BR', '5405-1.005802BR', 'field 54 is missing or malformed'],
      ['5802BR', '5802US', 'field 58 is missing or malformed'],
      ['5913Fulano de Tal', '', 'field 59 is missing or malformed'],
      ['5913Fulano de Tal', `5926${'A'.repeat(26)}`, 'field 59 is missing or malformed'],
      ['6008BRASILIA', '6016AAAAAAAAAAAAAAAA', 'field 60 is missing or malformed'],
      ['6008BRASILIA', '6000', 'its fields do not add up'],
      ['6008BRASILIA', '6008BRASÍLIA', 'not printable ASCII'],
      ['br.gov.bcb.pix', 'br.gov.bcb.pox', 'not one PIX account in 26 to 51'],
      [`0136${EVP}`, `0199${EVP}`, 'not one PIX account in 26 to 51'],
      ['5204', '27180014br.gov.bcb.pix5204', 'not one PIX account in 26 to 51'],
      [`26580014br.gov.bcb.pix0136${EVP}`, '26180014br.gov.bcb.pix', 'nothing to pay'],
      [
        `26580014br.gov.bcb.pix0136${EVP}`,
        '26320014br.gov.bcb.pix0103a@b2503a/b',
        'both a key and a location',
      ],
      [
        `26580014br.gov.bcb.pix0136${EVP}`,
        '26330014br.gov.bcb.pix2511https://a/b',
        'its location is not a scheme-less one',
      ],
      ['62070503***', '', 'its txid is missing or malformed'],
      ['62070503***', '6207050***', 'its fields do not add up'],
      ['62070503***', '62070503a-b', 'its txid is missing or malformed'],
      ['62070503***', `62300526${'a'.repeat(26)}`, 'its txid is missing or malformed'],
      ['6304', '6404', 'not from field 00 to field 63'],
    ])('%j as %j: %s', (part, by, verdict) => {
      const changed = STATIC_OF_MANUAL.slice(0, -4).replace(part, by)
      expect(changed).not.toBe(STATIC_OF_MANUAL.slice(0, -4))
      const read = parseBrCode(changed + crc16(changed))
      expect(read.kind === 'valid' ? 'valid' : read.reason).toBe(verdict)
    })
    test.each(['', '00', 'https://pix.example.com', '6304FFFF', '000201'.repeat(200)])(
      '%j is not a BR Code',
      text => {
        expect(parseBrCode(text).kind).toBe('invalid')
      },
    )
    test.each([
      ['540210', 1_000],
      ['540310.', 1_000],
      ['540410.5', 1_050],
      ['54040.00', null],
      ['54139999999999.99', 999_999_999_999],
    ])('the amount %s is %s centavos', (amount, totalCents) => {
      const changed = STATIC_OF_MANUAL.slice(0, -4).replace('5802BR', `${amount}5802BR`)
      expect(parseBrCode(changed + crc16(changed))).toMatchObject({ totalCents })
    })
  })

  describe('encoding', () => {
    test('the codes of the manual, byte for byte', () => {
      expect(buildStaticBrCode({ ...MANUAL, key: EVP })).toBe(STATIC_OF_MANUAL)
      expect(buildDynamicBrCode({ ...MANUAL, url: URL, totalCents: 0 })).toBe(DYNAMIC_OF_MANUAL)
    })

    // The examples of pix-api 2.9.0 (recResponse3, recResponse6), without their checksums.
    test.each([
      [
        null,
        'pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002',
        '00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac1200026304',
      ],
      [
        'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441',
        'pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890',
        '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa3531948906304',
      ],
    ])('the code of a recurrence with the charge at %s', (url, recurrenceUrl, published) => {
      const text = buildDynamicBrCode({ ...MANUAL, url, recurrenceUrl, totalCents: 0 })
      expect(text.slice(0, -4)).toBe(published)
      expect(parseBrCode(text)).toMatchObject({ kind: 'valid', url, recurrenceUrl })
      expect(() =>
        buildDynamicBrCode({ ...MANUAL, url, recurrenceUrl: 'https://x/y', totalCents: 0 }),
      ).toThrow(RangeError)
      expect(() => buildDynamicBrCode({ ...MANUAL, url: null, totalCents: 0 })).toThrow(RangeError)
    })

    test.each(AMOUNTS)(
      'a dynamic payload of %s centavos decodes to the same values, whatever its lengths',
      totalCents => {
        const read = { kind: 'valid', key: null, totalCents: totalCents || null, txid: '***' }
        for (let length = 3; length <= 77; length++) {
          const merchant = {
            merchantName: 'N'.repeat(1 + (length % 25)),
            merchantCity: 'C'.repeat(1 + (length % 15)),
          }
          const url = `h/${'p'.repeat(length - 2)}`
          expect(parseBrCode(buildDynamicBrCode({ ...merchant, url, totalCents }))).toEqual({
            ...read,
            ...merchant,
            recurrenceUrl: null,
            url,
          })
        }
        const text = buildDynamicBrCode({ ...MANUAL, url: URL, totalCents })
        expect(getPixPayloadInfo(text)).toMatchObject({ url: URL, ...MANUAL })
      },
    )

    const KEYS = [
      '52998224725',
      '12345678000195',
      '+5511987654321',
      EVP,
      'a@b.br',
      `${'a'.repeat(70)}@bcb.br`,
    ]
    test.each(KEYS)(
      'a static payload of %s decodes to the same values, and equals the encoding of a library',
      key => {
        const description = 'Pedido 7 e do Joao '.repeat(4)
        for (const cents of AMOUNTS) {
          for (const txid of ['P', 'PEDIDO123', 'a'.repeat(25)]) {
            const text = buildStaticBrCode({
              ...MANUAL,
              key,
              cents,
              txid,
              description: 'Pedido 7 é do João '.repeat(4),
            })
            expect(parseBrCode(text)).toEqual({
              ...MANUAL,
              kind: 'valid',
              url: null,
              recurrenceUrl: null,
              key,
              totalCents: cents || null,
              txid,
            })
            const amount = cents === 0 ? undefined : cents / 100
            expect(text).toBe(generatePixPayload({ ...MANUAL, key, amount, txid, description }))
          }
        }
      },
    )

    test.each([
      ['Café  São\tJoão', 'Cafe Sao Joao'],
      [' Açaí & Cia. nº 1 ', 'Acai & Cia. no 1'],
      ['Padaria 🥐 Pão', 'Padaria Pao'],
      ['Comércio de Alimentos do Zé Ltda', 'Comercio de Alimentos do'],
    ])('the name %j is encoded as %j', (merchantName, written) => {
      const text = buildDynamicBrCode({
        url: URL,
        totalCents: 1,
        merchantName,
        merchantCity: 'São José dos Campos',
      })
      expect(parseBrCode(text)).toMatchObject({ merchantName: written, merchantCity: 'Sao Jose dos Ca' })
    })

    test.each([
      { url: `https://${URL}` },
      { url: `h/${'p'.repeat(76)}` },
      { url: 'pix.example.com' },
      { url: 'pix.example.com/á' },
      { url: 'pix.example.com/a b' },
      { url: '' },
      { totalCents: -1 },
      { totalCents: 0.5 },
      { totalCents: Number.NaN },
      { totalCents: 1_000_000_000_000 },
      { merchantName: '株式会社' },
      { merchantCity: ' ' },
    ])('no dynamic payload of %j', wrong => {
      expect(() => buildDynamicBrCode({ ...MANUAL, url: URL, totalCents: 1, ...wrong })).toThrow(RangeError)
    })
    test.each([
      { key: '11987654321' },
      { key: '' },
      { txid: '' },
      { txid: 'a'.repeat(26) },
      { txid: 'a-b' },
      { cents: -1 },
    ])('no static payload of %j', wrong =>
      expect(() => buildStaticBrCode({ ...MANUAL, key: EVP, ...wrong })).toThrow(RangeError),
    )
  })
})
