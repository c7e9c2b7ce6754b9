import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openZipFile } from '../../../src/views/zip-file.ts'

/** An archive of files that are read while it is written. */

const entryOf = (name: string, content: Readable) => ({ name, open: async () => content })

test('equal files have equal bytes, whenever they are written', async () => {
  const write = () =>
    buffer(openZipFile([entryOf('a.ofx', Readable.from(['one'])), entryOf('b.ofx', Readable.from(['two']))]))
  const first = await write()
  await sleep(2_100) // A ZIP file has times of two seconds.
  expect((await write()).equals(first)).toBe(true)
})

async function* failing() {
  yield Buffer.from('one')
  throw new Error('the database is gone')
}

test.each([
  ['opened', { name: 'a', open: () => Promise.reject(new Error('the database is gone')) }],
  ['read', entryOf('a', Readable.from(failing()))],
])('an archive whose file cannot be %s ends in an error', async (_, entry) => {
  const archive = openZipFile([entryOf('first', Readable.from(['one'])), entry])
  await expect(buffer(archive)).rejects.toThrow('the database is gone')
})

test('a reader that leaves closes the file, and opens no further one', async () => {
  let opened = 0
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536, opened))
    },
  })
  const archive = openZipFile([
    entryOf('endless', endless),
    {
      name: 'never',
      async open() {
        opened += 1
        return Readable.from(['one'])
      },
    },
  ])
  for await (const _ of archive) break
  await sleep(50)
  expect([endless.destroyed, opened]).toEqual([true, 0])
})
