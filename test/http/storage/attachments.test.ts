import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fileRoutes } from '../../../src/api/files/routes.ts'
import { readConfig } from '../../../src/config.ts'
import {
  ATTACHMENT_TYPES,
  type AttachmentType,
  attachmentStorageKeyOf,
} from '../../../src/domain/disputes/attachment.ts'
import { createFileLinks } from '../../../src/storage/file-links.ts'
import { type FileStorage, openStorage } from '../../../src/storage/storage.ts'
import { createPdf, FILES } from '../../support/files.ts'
import { BUCKET, startS3 } from '../../support/s3.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { findUnusedPort } from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

const BYTES: Record<AttachmentType, Buffer> = {
  'application/pdf': FILES.pdf,
  'image/png': FILES.png,
  'image/jpeg': FILES.jpeg,
  'image/webp': FILES.webp,
}

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let s3: Awaited<ReturnType<typeof startS3>>
let fixture: ApiFixture
beforeAll(async () => {
  folder = await createTemporaryFolder()
  s3 = await startS3()
  fixture = await openApiFixture([fileRoutes], { TRILHO_STORAGE_FOLDER: join(folder.path, 'files') })
})
afterAll(async () => {
  await fixture?.close()
  await s3?.stop()
  await folder?.remove()
})

/** Stores a file as the reply to a dispute does. */
async function storeFile(storage: FileStorage, type: AttachmentType, bytes = BYTES[type]): Promise<string> {
  const key = attachmentStorageKeyOf({ disputeUuid: randomUUID(), uuid: randomUUID(), type })
  const path = join(folder.path, randomUUID())
  await writeFile(path, bytes)
  await storage.writeFile(key, { path, type, sizeBytes: bytes.length })
  return key
}

/** A link of this API, which listens on a port that its configuration does not know. */
function here(link: string): string {
  const { pathname, search } = new URL(link)
  return pathname + search
}

async function bytesOf(storage: FileStorage, key: string): Promise<Buffer> {
  const { stream } = (await storage.openFile(key))!
  return Buffer.concat(await stream.toArray())
}

const storages: [string, () => Promise<FileStorage>][] = [
  ['disk', async () => fixture.dependencies.storage],
  ['s3', () => storageOf(s3.environment)],
]

describe.each(storages)('the storage on %s', (_, opened) => {
  let storage: FileStorage
  beforeAll(async () => {
    storage = await opened()
  })

  test.each(ATTACHMENT_TYPES)('stores a file of %s unchanged', async type => {
    const key = await storeFile(storage, type)
    expect(await bytesOf(storage, key)).toEqual(BYTES[type])
    expect((await storage.openFile(key))?.sizeBytes).toBe(BYTES[type].length)
  })

  test('stores a file of 10 MiB', async () => {
    const large = createPdf(10 * 1024 * 1024)
    const key = await storeFile(storage, 'application/pdf', large)
    expect((await bytesOf(storage, key)).equals(large)).toBe(true)
  })

  test('returns nothing for an unknown file or a removed one', async () => {
    const key = await storeFile(storage, 'image/png')
    await storage.removeFile(key)
    await storage.removeFile(key)
    expect(await storage.openFile(key)).toBeNull()
  })
})

describe.each(['disk', 's3'])('a link of the storage on %s', kind => {
  const openAt = (clock: { nowMs: number }, settings: Record<string, string> = {}) =>
    storageOf({ ...(kind === 's3' && s3.environment), ...settings }, () => clock.nowMs)
  const HOUR = 3_600_000
  const start = Date.parse('2026-03-01T10:00:00Z')
  const endOf = (link: string) => {
    const { searchParams } = new URL(link)
    const [expires, signedAt] = [searchParams.get('expires'), searchParams.get('X-Amz-Date')]
    if (expires !== null) return Number(expires) * 1_000
    const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z$/.exec(signedAt!)!
    const day = date!.replace(/(....)(..)(..)/, '$1-$2-$3')
    return (
      Date.parse(`${day}T${hour}:${minute}:${second}Z`) + Number(searchParams.get('X-Amz-Expires')) * 1_000
    )
  }

  test('is the same for an hour, and valid for at least its configured day', async () => {
    const clock = { nowMs: start }
    const storage = await openAt(clock)
    const links: string[] = []
    for (const afterMs of [0, 1_000, HOUR - 1, HOUR]) {
      clock.nowMs = start + afterMs
      const link = await storage.createLink('meds/a/b.pdf')
      links.push(link)
      const leftMs = endOf(link) - clock.nowMs
      expect([leftMs >= 24 * HOUR, leftMs <= 25 * HOUR]).toEqual([true, true])
    }
    expect(links.map(link => links.indexOf(link))).toEqual([0, 0, 0, 3])
  })

  test('is valid for exactly the time that its caller asks for', async () => {
    const storage = await openAt({ nowMs: start + 1_000 })
    expect(endOf(await storage.createLink('meds/a/b.pdf', 604_800)) - start).toBe(604_801_000)
  })

  test('of a week is valid for a week, or nearly one in a bucket, which allows no more', async () => {
    const storage = await openAt({ nowMs: start }, { TRILHO_LINK_SECONDS: '604800' })
    const leftMs = endOf(await storage.createLink('meds/a/b.pdf')) - start
    expect(leftMs).toBeGreaterThan(604_800_000 - 7 * HOUR)
    if (kind === 's3') expect(leftMs).toBeLessThanOrEqual(604_800_000)
    else expect(leftMs).toBeGreaterThanOrEqual(604_800_000)
  })
})

describe('a link to the disk', () => {
  test.each(ATTACHMENT_TYPES)('returns a file of %s, without a token', async type => {
    const key = await storeFile(fixture.dependencies.storage, type)
    const answer = await fetch(fixture.server.url + here(await fixture.dependencies.storage.createLink(key)))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(BYTES[type])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-disposition': `attachment; filename="${key.split('/').at(-1)}"`,
      'content-length': String(BYTES[type].length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': expect.stringContaining('private'),
    })
  })

  test('begins with the configured address', async () => {
    const key = await storeFile(fixture.dependencies.storage, 'image/png')
    const at = await openStorage({ ...fixture.config, publicUrl: 'https://pix.example/' })
    expect(await at.createLink(key)).toMatch(
      new RegExp(`^https://pix\\.example/files/${key}\\?expires=\\d+&signature=mac\\.\\w+\\.[\\w-]{43}$`),
    )
  })

  test('is valid until it expires', async () => {
    const key = await storeFile(fixture.dependencies.storage, 'image/png')
    const url = new URL(await fixture.dependencies.storage.createLink(key))
    const parts = {
      key,
      expires: url.searchParams.get('expires') ?? '',
      signature: url.searchParams.get('signature') ?? '',
    }
    const endsAt = Number(parts.expires) * 1_000
    expect(endsAt - Date.now()).toBeGreaterThan(86_000_000)
    const { links } = fixture.dependencies.storage
    expect(links.isValid({ ...parts, nowMs: endsAt - 1 })).toBe(true)
    expect(links.isValid({ ...parts, nowMs: endsAt })).toBe(false)
  })

  test('is valid after a rotation of the secret, until its key is removed', () => {
    const [old, fresh] = ['a', 'b'].map((id, index) => `${id}:${Buffer.alloc(32, index).toString('base64')}`)
    const links = new URL(
      createFileLinks({ secretKeys: old!, publicUrl: 'http://x' }).createLink('meds/a/b.pdf', 9e12),
    )
    const parts = {
      key: 'meds/a/b.pdf',
      expires: links.searchParams.get('expires')!,
      signature: links.searchParams.get('signature')!,
      nowMs: 0,
    }
    const holds = (secretKeys: string) =>
      createFileLinks({ secretKeys, publicUrl: 'http://x' }).isValid(parts)
    expect([holds(`${fresh},${old}`), holds(fresh!)]).toEqual([true, false])
  })

  test.each<[string, (url: URL, other: string) => void]>([
    ['without a signature', url => url.searchParams.delete('signature')],
    [
      'without anything',
      url => {
        url.search = ''
      },
    ],
    ['with another signature', url => url.searchParams.set('signature', 'A'.repeat(43))],
    ['with a short signature', url => url.searchParams.set('signature', 'A')],
    ['with an altered expiry', url => url.searchParams.set('expires', '99999999999')],
    ['with a strange time', url => url.searchParams.set('expires', 'NaN')],
    ['that has expired', url => url.searchParams.set('expires', '1')],
    [
      'for another file',
      (url, other) => {
        url.pathname = `/files/${other}`
      },
    ],
    [
      'for a file that is not there',
      url => {
        url.pathname = '/files/meds/x/y.pdf'
      },
    ],
  ])('%s is 403', async (_, spoil) => {
    const [key, other] = await Promise.all(
      [1, 2].map(() => storeFile(fixture.dependencies.storage, 'image/png')),
    )
    const url = new URL(await fixture.dependencies.storage.createLink(key!))
    spoil(url, other!)
    const answer = await fixture.call('GET', here(url.href))
    expect([answer.status, answer.body.code]).toEqual([403, 'link_expired'])
  })

  test('to a removed file is 404', async () => {
    const key = await storeFile(fixture.dependencies.storage, 'image/png')
    await fixture.dependencies.storage.removeFile(key)
    const answer = await fixture.call('GET', here(await fixture.dependencies.storage.createLink(key)))
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })

  test.each(['..%2f..%2fsecret.key', '%2e%2e', '.', 'a%00.pdf', '....'])(
    'reaches nothing outside its folder: %s',
    async file => {
      for (const path of [`/files/meds/${file}/x.pdf`, `/files/meds/x/${file}`, `/files/${file}/x/y.pdf`]) {
        const { status } = await fixture.call('GET', `${path}?expires=99999999999&signature=x`)
        expect([403, 404]).toContain(status)
      }
    },
  )

  test('is written to no log', async () => {
    const key = await storeFile(fixture.dependencies.storage, 'image/png')
    const link = here(await fixture.dependencies.storage.createLink(key))
    await fixture.call('GET', link)
    expect(fixture.lines.join('')).not.toContain(new URLSearchParams(link.split('?')[1]).get('signature'))
  })
})

describe('a link to S3', () => {
  test('is presigned, downloads the file, and expires', async () => {
    const storage = await storageOf({ ...s3.environment, TRILHO_LINK_SECONDS: '60' })
    const key = await storeFile(storage, 'application/pdf')
    const link = new URL(await storage.createLink(key))
    expect([link.origin, link.pathname]).toEqual([s3.endpoint, `/${BUCKET}/${key}`])
    expect(link.searchParams.get('X-Amz-Expires')).toBe('62')
    const answer = await fetch(link)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.pdf"$/)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(FILES.pdf)
  })

  // s3rver does not verify the signature itself; Amazon does.
  test.each<[string, (link: URL) => void]>([
    ['that has expired', link => link.searchParams.set('X-Amz-Date', '20200101T000000Z')],
    [
      'of another key',
      link => link.searchParams.set('X-Amz-Credential', 'NOBODY/20200101/us-east-1/s3/aws4_request'),
    ],
  ])('is refused %s', async (_, spoil) => {
    const storage = await storageOf(s3.environment)
    const link = new URL(await storage.createLink(await storeFile(storage, 'application/pdf')))
    spoil(link)
    expect((await fetch(link)).status).toBe(403)
  })
})

describe('a failing storage', () => {
  test('reports the failure without naming the file', async () => {
    const dead = await storageOf({
      ...s3.environment,
      TRILHO_S3_ENDPOINT: `http://127.0.0.1:${await findUnusedPort()}`,
    })
    const nowhere = await storageOf({ TRILHO_STORAGE_FOLDER: '/dev/null/files' })
    const wrong = await storageOf({ ...s3.environment, TRILHO_S3_ACCESS_KEY_ID: 'NOBODY' })
    for (const storage of [dead, nowhere, wrong]) {
      await expect(storeFile(storage, 'image/png')).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/^the storage failed: \w+$/),
      })
    }
  })

  test.each([
    [{ TRILHO_STORAGE: 's3' }],
    [{ TRILHO_STORAGE: 's3', TRILHO_S3_BUCKET: 'bucket', TRILHO_S3_ACCESS_KEY_ID: 'x' }],
    [{ TRILHO_STORAGE: 'ftp' }],
    [{ TRILHO_LINK_SECONDS: '604801' }],
  ])('is not opened with %j', environment => {
    expect(() => storageOf(environment)).toThrow(/TRILHO_/)
  })
})

test('files of the disk and their folders are readable by their own user only', async () => {
  const root = join(folder.path, 'deep', 'files')
  const key = await storeFile(await storageOf({ TRILHO_STORAGE_FOLDER: root }), 'image/png')
  const paths = [root, join(root, 'meds'), dirname(join(root, key)), join(root, key)]
  const modes = await Promise.all(paths.map(async path => (await stat(path)).mode & 0o777))
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o600])
})

test('files of the disk are stored under the configured folder only', async () => {
  const key = await storeFile(fixture.dependencies.storage, 'image/png')
  expect(await readFile(join(folder.path, 'files', key))).toEqual(FILES.png)
  expect(await readdir(join(folder.path, 'files'))).toEqual(['meds'])
})

function storageOf(environment: Record<string, string>, now?: () => number): Promise<FileStorage> {
  const config = readConfig({
    DATABASE_URL: fixture.config.databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TRILHO_SECRET_KEY: fixture.config.secretKeys,
    ...environment,
  })
  return openStorage({ ...config, ...(now && { now }) })
}
