import { afterEach, describe, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { createSmtpMessenger, type OutboundMessage } from '../../src/messaging/messengers.ts'
import { createSelfSignedCertificate } from '../providers/support/certificate.ts'
import { mailBodyOf, startMailServer } from './support/mail-server.ts'

/** E-mail by nodemailer, received by a real SMTP server. */

const FROM = 'Padaria Trilho <pix@padaria.example>'
const MAIL_MESSAGE: OutboundMessage = {
  id: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21',
  to: "o'neil+pix@example.com",
  subject: 'Código',
  text: '123456 é o seu código.',
}

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const end of closers.splice(0)) await end()
})
async function serving(options: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(options)
  closers.push(server.close)
  return server
}
function writing(url: string, timeoutMs = 30_000) {
  const messenger = createSmtpMessenger({ url, from: FROM, timeoutMs })
  closers.push(messenger.close)
  return messenger
}

test('a message reaches its address, and only that', async () => {
  const server = await serving()
  expect(await writing(server.url).send(MAIL_MESSAGE)).toEqual({ kind: 'sent' })
  const [letter, ...others] = server.letters
  expect([letter?.from, letter?.to, others]).toEqual(['pix@padaria.example', [MAIL_MESSAGE.to], []])
  expect(mailBodyOf(letter!).trim()).toBe(MAIL_MESSAGE.text)
  expect(letter!.text).toMatch(/^From: Padaria Trilho <pix@padaria\.example>/m)
})

test('a message sent twice has one Message-ID', async () => {
  const server = await serving()
  const messenger = writing(server.url)
  await messenger.send(MAIL_MESSAGE)
  await messenger.send(MAIL_MESSAGE)
  const ids = server.letters.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1])
  expect(ids).toEqual(Array(2).fill(`<${MAIL_MESSAGE.id}@trilho>`))
})

test.each([
  'a@example.com, b@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com> <b@example.com',
])('an address with several recipients reaches no second one: %j', async to => {
  const server = await serving()
  await writing(server.url).send({ ...MAIL_MESSAGE, to })
  expect(server.letters.flatMap(letter => letter.to)).not.toContain('b@example.com')
})

describe('the server’s reply', () => {
  test.each([
    ['no such mailbox', { rcpt: 550 }, { kind: 'refused', code: 'smtp_550' }],
    ['the letter is unwanted', { data: 554 }, { kind: 'refused', code: 'smtp_554' }],
    ['the mailbox is busy', { rcpt: 450 }, { kind: 'again', code: 'smtp_450' }],
    ['the letter later', { data: 451 }, { kind: 'again', code: 'smtp_451' }],
    ['not from this sender: that is about us', { mail: 550 }, { kind: 'again', code: 'smtp_550' }],
  ])('%s', async (_, refusals, expected) => {
    const server = await serving()
    Object.assign(server.refusals, refusals)
    expect(await writing(server.url).send(MAIL_MESSAGE)).toEqual(expected)
    expect(server.letters).toEqual([])
  })

  test('to a log-in is a configuration error: with the right one the message is sent', async () => {
    const server = await serving({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === 'trilho' && password === 'p@ss' ? done(null, { user: 'trilho' }) : done(new Error('no')),
    })
    const as = (user: string) => writing(server.url.replace('//', `//${user}@`)).send(MAIL_MESSAGE)
    expect(await as('trilho:wrong')).toMatchObject({ kind: 'again' })
    expect(await as('trilho:p%40ss')).toEqual({ kind: 'sent' })
  })
})

describe('an unavailable server', () => {
  test('is retried', async () => {
    const { port, release } = await reserveFreePort()
    expect(await writing(`smtp://127.0.0.1:${port}`).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
    release()
  })

  test('that does not respond is given up after its limit', async () => {
    const server = await serving({ onConnect: () => {} })
    expect(await writing(server.url, 300).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
  })
})

test('an untrusted certificate gets no message, unless the configuration allows it', async () => {
  const { certificate: cert, key } = await createSelfSignedCertificate()
  for (const options of [{ secure: true }, { hideSTARTTLS: false }]) {
    const server = await serving({ ...options, cert, key })
    expect(await writing(server.url).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
    expect(server.letters).toEqual([])
    expect(await writing(`${server.url}?tls.rejectUnauthorized=false`).send(MAIL_MESSAGE)).toEqual({
      kind: 'sent',
    })
  }
})

test('an error code quotes no address and no text', async () => {
  const server = await serving()
  server.refusals.rcpt = 550
  const logTexts = [
    await writing(server.url).send(MAIL_MESSAGE),
    await writing('smtp://127.0.0.1:1').send(MAIL_MESSAGE),
  ]
  expect(JSON.stringify(logTexts)).not.toMatch(/example|neil|123456/)
})
