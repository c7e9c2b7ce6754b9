import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type HttpClient, httpClient } from '../../src/providers/http.ts'
import { type FarSide, farSide } from './support/far-side.ts'

/** Connections that are opened while whoever sends money is still writing down that it will. */

let far: FarSide
let http: HttpClient

beforeEach(async () => {
  far = await farSide()
  far.answers('PUT /thing', { status: 200, json: {} })
  http = httpClient({ baseUrl: far.url, tls: { ca: far.ca }, timeoutMs: 1_500 })
})
afterEach(async () => {
  await http.close()
  await far.close()
})

const send = () => http.call({ method: 'PUT', path: '/thing', json: {}, fresh: true })

/** One whose handshake outlasts the client's patience is given up: another is opened. */
async function openAhead(): Promise<void> {
  const before = far.connections()
  for (let waitedMs = 0; far.connections() === before; waitedMs += 5) {
    if (waitedMs % 3_000 === 0) http.openAhead()
    await sleep(5)
  }
}

test('one carries the next call that has its own, and no call after it', async () => {
  await openAhead()
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(far.seen.map(({ connection }) => connection)).toEqual([1, 2])
})

test('a call whose connection is still being opened waits for that one', async () => {
  http.openAhead()
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(far.connections()).toBe(1)
})

test('calls at once take one each', async () => {
  await openAhead()
  await openAhead()
  await Promise.all([send(), send(), send()])
  expect(new Set(far.seen.map(({ connection }) => connection)).size).toBe(3)
})

test('one whose handshake fails says that its call never left, and is not tried again for it', async () => {
  far.resetsHandshakes(1)
  http.openAhead()
  await sleep(50)
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'connection_reset' })
  expect(far.seen).toEqual([])
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
})

test('one that the far side hangs up on has carried nothing: another is opened', async () => {
  await openAhead()
  far.hangUp()
  await sleep(50)
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(far.seen.map(({ connection }) => connection)).toEqual([2])
})

test('one that nobody calls over is hung up on', async () => {
  await openAhead()
  while (far.open() > 0) await sleep(50)
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(far.seen.map(({ connection }) => connection)).toEqual([2])
})

test('a client that is closed leaves none open', async () => {
  await openAhead()
  await http.close()
  while (far.open() > 0) await sleep(5)
})
