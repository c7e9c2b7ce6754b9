import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from './support/documents.ts'

type LockFile = { packages: Record<string, { version?: string; integrity?: string; link?: boolean }> }

test('npm ci verifies every package: the lock file holds the hash of each', async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link)
  expect(installed.length).toBeGreaterThan(500)
  const unverified = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(unverified.map(([path]) => path)).toEqual([])
})
