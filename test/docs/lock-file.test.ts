import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from './support/documents.ts'

type LockedPackage = { version?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }

const read = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8'))
const { packages } = (await read('package-lock.json')) as { packages: Record<string, LockedPackage> }
const { allowScripts, devDependencies } = await read('package.json')

test('npm ci verifies every package: the lock file holds the hash of each', () => {
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.length).toBeGreaterThan(500)
  const unverified = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
  expect(unverified.map(([path]) => path)).toEqual([])
})

test('every install script is allowed or denied by the name of its package', () => {
  const withScripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScripts)].sort())
})

test('the Node of .node-version is the one that npm installs', async () => {
  expect((await readFile(join(ROOT, '.node-version'), 'utf8')).trim()).toBe(devDependencies.node)
})
