import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdtemp, readdir, readFile, readlink, rm, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import { z } from 'zod'
import type { RouteRegistrar } from '../../../src/api/app.ts'
import { documentationRoutes } from '../../../src/api/docs/routes.ts'
import { registerRoute } from '../../../src/api/http/route.ts'
import { disputeReplyForm } from '../../../src/contract/disputes/dispute.ts'
import { createSemaphore } from '../../../src/domain/shared/semaphore.ts'
import { fail } from '../../../src/http/api-error.ts'
import { nestFormValues, readMultipartForm, type Upload } from '../../../src/http/multipart.ts'
import { startServer } from '../../../src/http/server.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { createPdf, encodeForm, FILES, type SentFile } from '../../support/files.ts'
import { type ApiFixture, type ApiResponse, openApiFixture } from '../support/api-fixture.ts'

const MIB = 1024 * 1024
const OWN_FOLDER_PREFIX = `trilho-form-${process.pid}-`
const PATH = '/api/v1/forms/6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
/** The error of fields that no reply has. */
const unknown = (...names: string[]) =>
  Object.fromEntries(names.map(name => [name, ['is not a known field']]))
const TEXTS: [string, string][] = [
  ['accept', '1'],
  ['analysis', 'It was delivered.'],
]
/** Texts of a valid reply in a form with the boundary `b`; more parts may follow. */
const ENCODED_TEXTS = TEXTS.map(
  ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
).join('')
const WRONG_TYPE = 'must be a PDF, PNG, JPEG or WebP by its content'

let isWanted = true
const formRoutes: RouteRegistrar = router => {
  registerRoute(router, 'post', '/api/v1/forms/:uuid', {
    operationId: 'takeForm',
    scope: 'charges',
    summary: 'Take a form',
    body: disputeReplyForm,
    bodyAs: 'multipart',
    responses: { 200: z.object({ data: z.unknown() }), errors: ['med_already_answered'] },
    async beforeBody() {
      if (!isWanted) fail('med_already_answered')
    },
    async handle({ body: { accept, analysis, attachments } }) {
      if (analysis === 'fail') throw new Error('a bug')
      const files = await Promise.all(attachments.map(({ file }) => describeUpload(file as Upload)))
      return { body: { data: { accept, analysis, files } } }
    },
  })
}

async function describeUpload({ name, type, size, path }: Upload) {
  return { name, type, size, sha256: sha256(await readFile(path)) }
}

let fixture: ApiFixture
let token: string
beforeAll(async () => {
  fixture = await openApiFixture([formRoutes, documentationRoutes])
  token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(() => fixture?.close())

afterEach(async () => {
  const remaining = (await readdir(tmpdir())).filter(name => name.startsWith(OWN_FOLDER_PREFIX))
  expect(remaining).toEqual([])
})

async function send(texts: [string, string][], files?: SentFile[]) {
  return fixture.call('POST', PATH, { token, ...(await encodeForm(texts, files)) })
}

describe('a form', () => {
  test('is parsed: texts, and files by their content whatever they are called', async () => {
    const files: SentFile[] = [
      { bytes: FILES.pdf, name: 'Comprovante ação.pdf' },
      { bytes: FILES.png, name: 'photo.exe', type: 'application/octet-stream' },
      { bytes: FILES.jpeg, name: 'photo.pdf' },
      { bytes: FILES.webp, name: 'x', type: '' },
    ]
    const answer = await send(TEXTS, files)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      accept: true,
      analysis: 'It was delivered.',
      files: ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'].map((type, index) => {
        const { name, bytes } = files[index]!
        return { name, type, size: bytes.length, sha256: sha256(bytes) }
      }),
    })
  })

  test('may have no files', async () => {
    const answer = await send(TEXTS)
    expect(answer.body.data).toEqual({ accept: true, analysis: 'It was delivered.', files: [] })
  })

  test('may leave a file out: an empty file input, a skipped index', async () => {
    const raw = [
      '--b',
      'Content-Disposition: form-data; name="accept"\r\n\r\n0',
      '--b',
      'Content-Disposition: form-data; name="analysis"\r\n\r\nx',
      '--b',
      'Content-Disposition: form-data; name="attachments[0][file]"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',
      '--b',
      `Content-Disposition: form-data; name="attachments[7][file]"; filename="a.pdf"\r\n\r\n${FILES.pdf}`,
      '--b--\r\n',
    ].join('\r\n')
    const answer = await fixture.call('POST', PATH, {
      token,
      raw,
      headers: type('multipart/form-data; boundary=b'),
    })
    expect([answer.status, answer.body.data?.files?.length]).toEqual([200, 1])
  })

  test('may name the media type and the transfer encoding of a text', async () => {
    const raw = [
      '--b',
      'Content-Disposition: form-data; name="accept"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n0',
      '--b',
      'Content-Disposition: form-data; name="analysis"\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\nnão',
      '--b--\r\n',
    ].join('\r\n')
    const headers = type('multipart/form-data; boundary=b')
    const answer = await fixture.call('POST', PATH, { token, raw, headers })
    expect(answer.body.data).toEqual({ accept: false, analysis: 'não', files: [] })
  })

  test('has names outside ASCII, in whatever chunks they arrive', async () => {
    const names = 'ação.pdf|&#8364;€.pdf'
    const form = names.split('|').map((name, index) => filePart(index, Buffer.from(name)))
    const bytes = Buffer.concat([Buffer.from(ENCODED_TEXTS), ...form, Buffer.from('--b--\r\n')])
    const parts = Array.from(bytes, byte => Buffer.from([byte]))
    const answer = await stream(parts)
    const files = answer.body.data.files.map(({ name }: { name: string }) => name)
    expect(files).toEqual(['ação.pdf', '€€.pdf'])
  })

  test.each<[string, Buffer, string]>([
    ['a text', latin1('--b\r\nContent-Disposition: form-data; name="reason"\r\n\r\nação\r\n'), 'reason'],
    ['the name of a file', filePart(0, latin1('ação.pdf')), 'attachments.0.file'],
    [
      'the name of a field',
      latin1('--b\r\nContent-Disposition: form-data; name="observaç"\r\n\r\nx\r\n'),
      'observa\ufffd',
    ],
  ])('is refused where %s is not UTF-8', async (_, part, field) => {
    const raw = Buffer.concat([Buffer.from(ENCODED_TEXTS), part, Buffer.from('--b--\r\n')])
    const headers = type('multipart/form-data; boundary=b')
    const answer = await fixture.call('POST', PATH, { token, raw, headers })
    expect(answer.status).toBe(422)
    expect(answer.body.errors[field]).toContain('must be UTF-8')
  })

  test.each([
    ['1', true],
    ['0', false],
    ['true', true],
    ['false', false],
    ['True', true],
  ])('accepts %s as %s', async (text, accept) => {
    const answer = await send([
      ['accept', text],
      ['analysis', 'a'.repeat(2_000)],
    ])
    expect([answer.status, answer.body.data.accept]).toEqual([200, accept])
  })

  test.each<{
    name: string
    texts?: [string, string][]
    files?: SentFile[]
    errors: Record<string, string[]>
  }>([
    { name: 'nothing', texts: [], errors: { accept: ['is required'], analysis: ['is required'] } },
    { name: 'no accept', texts: [TEXTS[1]!], errors: { accept: ['is required'] } },
    { name: 'no analysis', texts: [TEXTS[0]!], errors: { analysis: ['is required'] } },
    {
      name: 'an empty analysis',
      texts: [TEXTS[0]!, ['analysis', '  ']],
      errors: { analysis: ['must not be empty'] },
    },
    {
      name: 'an invalid accept',
      texts: [['accept', 'yes'], TEXTS[1]!],
      errors: { accept: ['must be 1, true, 0 or false'] },
    },
    {
      name: 'a long analysis',
      texts: [TEXTS[0]!, ['analysis', 'a'.repeat(2_001)]],
      errors: { analysis: ['must be at most 2000 characters'] },
    },
    {
      name: 'an analysis beyond the size limit',
      texts: [TEXTS[0]!, ['analysis', 'a'.repeat(200_000)]],
      errors: { analysis: ['is too long'] },
    },
    {
      name: 'an analysis that cannot be stored',
      texts: [TEXTS[0]!, ['analysis', 'a\0b']],
      errors: { analysis: ['must not contain NUL characters or broken surrogate pairs'] },
    },
    { name: 'accept twice', texts: [...TEXTS, ['accept', '0']], errors: { accept: ['must be sent once'] } },
    {
      name: 'far too many fields',
      texts: [...TEXTS, ...Array.from({ length: 60 }, (_, index): [string, string] => [`f${index}`, ''])],
      errors: {
        body: ['must not have more than 50 fields'],
        ...unknown(...Array.from({ length: 48 }, (_, n) => `f${n}`)),
      },
    },
    {
      name: 'fields of other names',
      texts: [...TEXTS, ['more', 'x'], ['a[b][c]', 'y']],
      errors: unknown('more', 'a'),
    },
    {
      name: 'a file under another name',
      files: [{ field: 'proof', bytes: FILES.pdf }],
      errors: unknown('proof'),
    },
    {
      name: 'a file under a nearly right name',
      files: [{ field: 'atachments[0][file]', bytes: FILES.pdf }],
      errors: { atachments: ['is not a known field; did you mean attachments?'] },
    },
    {
      name: 'a text as a file',
      texts: [...TEXTS, ['attachments[0][file]', 'x']],
      errors: { 'attachments.0.file': ['must be a file'] },
    },
    {
      name: 'a file as accept',
      texts: [TEXTS[1]!],
      files: [{ field: 'accept', bytes: FILES.pdf }],
      errors: { accept: [expect.any(String) as never] },
    },
    {
      name: 'files under another name than the documented one',
      files: [{ field: 'attachments', bytes: FILES.pdf }],
      errors: { attachments: ['must be sent as attachments[0][file]'] },
    },
    ...['attachments[0]', 'attachments[]'].map(field => ({
      name: `a file as ${field}`,
      files: [{ field, bytes: FILES.pdf }],
      errors: { 'attachments.0': ['must be sent as attachments[0][file]'] },
    })),
    {
      name: 'a file in a nearly right field of a list',
      files: [{ field: 'attachments[0][fiel]', bytes: FILES.pdf }],
      errors: {
        'attachments.0.file': ['is required'],
        'attachments.0.fiel': ['is not a known field; did you mean file?'],
      },
    },
    {
      name: 'an empty file',
      files: [{ bytes: FILES.nothing }],
      errors: { 'attachments.0.file': ['must not be empty', WRONG_TYPE] },
    },
    {
      name: 'an .exe called .pdf',
      files: [{ bytes: FILES.exe }],
      errors: { 'attachments.0.file': [WRONG_TYPE] },
    },
    { name: 'a zip', files: [{ bytes: FILES.zip }], errors: { 'attachments.0.file': [WRONG_TYPE] } },
    {
      name: 'an HTML page',
      files: [{ bytes: FILES.html, type: 'text/html' }],
      errors: { 'attachments.0.file': [WRONG_TYPE] },
    },
    {
      name: 'an SVG',
      files: [{ bytes: FILES.svg, type: 'image/png' }],
      errors: { 'attachments.0.file': [WRONG_TYPE] },
    },
    {
      name: 'a GIF next to a valid file',
      files: [{ bytes: FILES.png }, { bytes: FILES.gif, name: 'a.png', type: 'image/png' }],
      errors: { 'attachments.1.file': [WRONG_TYPE] },
    },
    {
      name: 'a file one byte over 10 MiB',
      files: [{ bytes: FILES.pdf }, { bytes: createPdf(10 * MIB + 1) }],
      errors: { 'attachments.1.file': ['must be at most 10 MiB'] },
    },
    {
      name: 'a file of 11 MiB',
      files: [{ bytes: createPdf(11 * MIB) }],
      errors: { 'attachments.0.file': ['must be at most 10 MiB'] },
    },
    {
      name: '11 files',
      files: Array.from({ length: 11 }, () => ({ bytes: FILES.png })),
      errors: { 'attachments.10.file': ['must not be sent: at most 10 files'] },
    },
    {
      name: 'every error at once',
      texts: [['accept', '2']],
      files: [{ bytes: FILES.exe }, { bytes: FILES.nothing }],
      errors: {
        accept: ['must be 1, true, 0 or false'],
        analysis: ['is required'],
        'attachments.0.file': [WRONG_TYPE],
        'attachments.1.file': ['must not be empty', WRONG_TYPE],
      },
    },
  ])('with $name is 422 and names it', async ({ texts = TEXTS, files = [], errors }) => {
    const answer = await send(texts, files)
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.errors).toEqual(errors)
  })

  test('whose handler fails leaves nothing behind', async () => {
    const answer = await send([TEXTS[0]!, ['analysis', 'fail']], [{ bytes: FILES.pdf }])
    expect(answer.status).toBe(500)
  })

  test('that cannot succeed is refused without reading it', async () => {
    isWanted = false
    const answer = await send([], [{ bytes: FILES.exe }])
    isWanted = true
    expect([answer.status, answer.body.code]).toEqual([409, 'med_already_answered'])
  })
})

describe('an incomplete form', () => {
  test.each([
    ['application/json', '{"accept":true}', 415, 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'accept=1&analysis=x', 415, 'unsupported_media_type'],
    ['multipart/mixed; boundary=b', '--b--', 415, 'unsupported_media_type'],
    ['multipart/form-data', 'x', 400, 'malformed_multipart'],
    ['multipart/form-data; boundary=b', '', 400, 'malformed_multipart'],
    ['multipart/form-data; boundary=b', 'no boundary here', 400, 'malformed_multipart'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="accept"\r\n\r\n1',
      400,
      'malformed_multipart',
    ],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition form-data\r\n\r\n1\r\n--b--\r\n',
      400,
      'malformed_multipart',
    ],
  ])('%s, %j → %i', async (contentType, raw, status, code) => {
    const answer = await fixture.call('POST', PATH, { token, raw, headers: type(contentType) })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('that ends in the middle of a file is 400', async () => {
    const { raw, headers } = await encodeForm(TEXTS, [{ bytes: createPdf(MIB) }, { bytes: createPdf(MIB) }])
    const answer = await fixture.call('POST', PATH, {
      token,
      raw: raw.subarray(0, raw.length - MIB / 2),
      headers,
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_multipart'])
  })

  test('that is compressed is 415', async () => {
    const { raw, headers } = await encodeForm(TEXTS)
    const answer = await fixture.call('POST', PATH, {
      token,
      raw,
      headers: { ...headers, 'content-encoding': 'gzip' },
    })
    expect(answer.status).toBe(415)
  })

  test('whose sender disconnects leaves nothing behind and affects no other request', async () => {
    const { raw, headers } = await encodeForm(TEXTS, [{ bytes: createPdf(MIB) }])
    const call = request(fixture.server.url + PATH, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': raw.length },
    })
    const closed = new Promise(resolve => call.once('close', resolve))
    call.on('error', () => {})
    call.write(raw.subarray(0, MIB / 2), () => setImmediate(() => call.destroy()))
    await closed
    expect((await send(TEXTS)).status).toBe(200)
    await untilNoneIsLeft()
  })

  test('whose sender disconnects just before it is read keeps no later form of the account waiting', async () => {
    const formSemaphore = createSemaphore(1)
    let isFirst = true
    const app = new Koa()
    app.silent = true
    app.use(async ctx => {
      await using cleanup = new AsyncDisposableStack()
      // The connection closes while the folder of the files is made.
      const beforeBody = async () => {
        if (isFirst) setImmediate(() => ctx.req.destroy())
        isFirst = false
      }
      ctx.body = await readMultipartForm(ctx, { formSemaphore, accountUuid: 'a', beforeBody, cleanup })
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    const sendForm = async () => {
      const { raw, headers } = await encodeForm(TEXTS)
      return fetch(server.url, { method: 'POST', body: raw, headers })
    }
    await expect(sendForm()).rejects.toThrow('fetch failed')
    expect((await sendForm()).status).toBe(200)
    await server.stop()
    await untilNoneIsLeft()
  })

  test.each(['before it is read', 'after it is read'])(
    'whose sender disconnects while a step does not end, %s, keeps no later form of the account waiting',
    async when => {
      const formSemaphore = createSemaphore(1)
      const step = Promise.withResolvers<void>()
      let isFirst = true
      const app = new Koa()
      app.silent = true
      app.use(async ctx => {
        await using cleanup = new AsyncDisposableStack()
        const hangs = isFirst
        isFirst = false
        if (hangs) setTimeout(() => ctx.req.socket.destroy(), 50)
        const isBefore = when === 'before it is read'
        const beforeBody = async () => hangs && isBefore && step.promise
        ctx.body = await readMultipartForm(ctx, { formSemaphore, accountUuid: 'a', beforeBody, cleanup })
        if (hangs) await step.promise
      })
      const server = await startServer(app, { host: '127.0.0.1', port: 0 })
      const sendForm = async () => {
        const { raw, headers } = await encodeForm(TEXTS)
        return fetch(server.url, { method: 'POST', body: raw, headers })
      }
      await expect(sendForm()).rejects.toThrow('fetch failed')
      expect((await sendForm()).status).toBe(200)
      step.resolve()
      await server.stop()
      await untilNoneIsLeft()
    },
  )

  test('that fails between its files leaves no file behind, closed or open', async () => {
    const file = (index: number) =>
      `--b\r\nContent-Disposition: form-data; name="attachments[${index}][file]"; filename="a.pdf"\r\n\r\n${FILES.pdf}\r\n`
    const raw = `${file(0)}${file(1)}--b\r\nno header\r\n\r\n${file(2)}--b--\r\n`
    const answer = await fixture.call('POST', PATH, {
      token,
      raw,
      headers: type('multipart/form-data; boundary=b'),
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_multipart'])
    expect(await listOpenSpoolFiles()).toEqual([])
  })

  test('without a token is refused before it is read', async () => {
    const created: string[] = []
    const watcher = watch(tmpdir(), (_, name) => void created.push(String(name)))
    const headers = { ...type('multipart/form-data; boundary=b'), 'content-length': 50 * MIB }
    const call = request(fixture.server.url + PATH, { method: 'POST', headers })
    call.on('error', () => {})
    const answered = once(call, 'response')
    for (const chunk of [...bigForm({ files: 1, bytes: MIB })].slice(0, -1)) call.write(chunk)
    const [response] = await answered // The rest of the body is never sent.
    expect(response.statusCode).toBe(401)
    call.destroy()
    watcher.close()
    expect(created.filter(name => name.startsWith(OWN_FOLDER_PREFIX))).toEqual([])
  })
})

describe('large forms', () => {
  test('ten files of 10 MiB are read without being held in memory', async () => {
    const held = () => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    const before = held()
    let [most, chunks] = [0, 0]
    const answer = await stream(bigForm({ files: 10, bytes: 10 * MIB }), () => {
      if (++chunks % 100 === 0) most = Math.max(most, held() - before)
    })
    expect(chunks).toBeGreaterThan(100)
    expect(answer.status).toBe(200)
    expect(answer.body.data.files.map((file: { size: number }) => file.size)).toEqual(
      Array(10).fill(10 * MIB),
    )
    expect(most).toBeLessThan(80 * MIB)
  })

  test('many empty files are refused immediately, and none of them is stored', async () => {
    const answer = await stream(heap(200_000))
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.errors).toEqual({ body: ['must not have more than 100 texts and files'] })
  })

  test('a hundred parts are read', async () => {
    const { status, body } = await stream(heap(100))
    // 90 files too many, 10 of other names, and two texts too few: the first hundred, and how many there are.
    expect([status, Object.keys(body.errors).length]).toEqual([422, 101])
    expect(body.errors.body).toEqual(['has errors in 102 fields; the first 100 are listed'])
  })

  test('files left by a killed process are removed by the next one', async () => {
    const [old, young] = [await remaining(), await remaining()]
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    await utimes(old, longAgo, longAgo)
    expect((await send(TEXTS, [{ bytes: FILES.pdf }])).status).toBe(200)
    const names = await readdir(tmpdir())
    expect([old, young].map(path => names.includes(basename(path)))).toEqual([false, true])
    await rm(young, { recursive: true })
  })

  test('more than the total size limit is 413', async () => {
    const answer = await stream(bigForm({ files: 11, bytes: 10 * MIB }))
    expect([answer.status, answer.body.code]).toEqual([413, 'upload_too_large'])
  })

  test('headers of more than 1 MiB are 413', async () => {
    const answer = await stream([Buffer.from('--b\r\nX: '), ...Array(40).fill(Buffer.alloc(64 * 1024, 'x'))])
    expect([answer.status, answer.body.code]).toEqual([413, 'upload_too_large'])
  })

  test('one account sends a few concurrently and the rest in turn; all are read', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => send(TEXTS, [{ bytes: createPdf(MIB) }])),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  })
})

test.each<[string, unknown]>([
  ['a=1', { a: 1 }],
  ['a[0][file]=1,a[1][file]=2', { a: [{ file: 1 }, { file: 2 }] }],
  ['a[][file]=1,a[][file]=2', { a: [{ file: 1 }, { file: 2 }] }],
  ['a[x][file]=1', { a: { x: { file: 1 } } }],
  [
    'a[__proto__][b]=1,__proto__[c]=2',
    { a: JSON.parse('{"__proto__":{"b":1}}'), ...JSON.parse('{"__proto__":{"c":2}}') },
  ],
  ['a[1]]=1', { 'a[1]]': 1 }],
  ['a[0][1][2][3][4]=1', { 'a[0][1][2][3][4]': 1 }],
  ['a[99999]=1', { a: { 99999: 1 } }],
])('names give the place of a value: %s', (sent, value) => {
  const values = sent.split(',').map(pair => {
    const at = pair.lastIndexOf('=')
    return { name: pair.slice(0, at), value: Number(pair.slice(at + 1)) }
  })
  expect(JSON.stringify(nestFormValues(values).value)).toBe(JSON.stringify(value))
  expect(Object.prototype).not.toHaveProperty('c')
})

test('OpenAPI describes the form from its schema', async () => {
  const { body: document } = await fixture.call('GET', '/openapi.json')
  const { requestBody, responses } = document.paths['/api/v1/forms/{uuid}'].post
  expect(Object.keys(requestBody.content)).toEqual(['multipart/form-data'])
  expect(requestBody.required).toBe(true)
  const { schema, encoding } = requestBody.content['multipart/form-data']
  expect(schema.required).toEqual(['accept', 'analysis'])
  expect(schema.properties.attachments).toMatchObject({
    type: 'array',
    maxItems: 10,
    items: { properties: { file: { type: 'string', format: 'binary', maxLength: 10 * MIB } } },
  })
  expect(encoding).toEqual({ attachments: { style: 'deepObject', explode: true } })
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '409', '413', '415', '422']))
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function filePart(index: number, name: Buffer): Buffer {
  const field = `--b\r\nContent-Disposition: form-data; name="attachments[${index}][file]"; filename="`
  return Buffer.concat([Buffer.from(field), name, Buffer.from('"\r\n\r\n'), FILES.pdf, Buffer.from('\r\n')])
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function type(contentType: string) {
  return { 'content-type': contentType }
}

/** The same few bytes repeated, so that the sender holds nothing either. */
function* bigForm({ files, bytes }: { files: number; bytes: number }) {
  const part = (name: string, more = '') =>
    `\r\n--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  yield Buffer.from(`${part('accept')}1${part('analysis')}x`)
  const chunk = Buffer.alloc(64 * 1024, 32)
  for (let index = 0; index < files; index++) {
    yield Buffer.from(part(`attachments[${index}][file]`, '; filename="a.pdf"'))
    yield FILES.pdf
    let remaining = bytes - FILES.pdf.length
    for (; remaining >= chunk.length; remaining -= chunk.length) yield chunk
    yield chunk.subarray(0, remaining)
  }
  yield Buffer.from('\r\n--b--\r\n')
}

/** So many files without a name of their own, a few hundred at a time. */
function* heap(parts: number) {
  for (let index = 0; index < parts; index += 500) {
    const names = Array.from({ length: Math.min(500, parts - index) }, (_, place) => `f${index + place}`)
    const part = (name: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n\r\n`
    yield Buffer.from(names.map(part).join(''))
  }
  yield Buffer.from('--b--\r\n')
}

/** A folder of a form, as another process creates it. */
const remaining = () => mkdtemp(join(tmpdir(), 'trilho-form-1-'))

/** Sends in chunks, without a length. */
async function stream(parts: Iterable<Buffer>, everyPart = () => {}) {
  const call = request(fixture.server.url + PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...type('multipart/form-data; boundary=b'),
    },
  })
  const answered = new Promise<Pick<ApiResponse, 'status' | 'body'>>((resolve, reject) => {
    call.once('error', reject)
    call.once('response', async response => {
      const text = await new Response(Readable.toWeb(response) as ReadableStream).text()
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
    })
  })
  const counted = function* () {
    for (const one of parts) {
      everyPart()
      yield one
    }
  }
  await pipeline(Readable.from(counted()), call).catch(() => {})
  return answered
}

/** Files of forms that this process has open, as Linux lists them; none on other systems. */
async function listOpenSpoolFiles(): Promise<string[]> {
  const files = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(files.map(file => readlink(`/proc/self/fd/${file}`).catch(() => '')))
  return paths.filter(path => path.includes(OWN_FOLDER_PREFIX))
}

async function untilNoneIsLeft() {
  for (let tries = 0; tries < 200; tries++) {
    const names = await readdir(tmpdir())
    if (!names.some(name => name.startsWith(OWN_FOLDER_PREFIX))) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
