import { expect, test } from 'vitest'
import { loadDev } from './load-dev.ts'

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /app/load-dev.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })

test('without the package, the error says how to install it', async () => {
  await expect(loadDev(() => Promise.reject(notFound('@drover/dev')))).rejects.toThrow(
    'drover dev needs the package @drover/dev: npm install --save-dev @drover/dev',
  )
})

test('a package with a missing dependency is not reported as missing itself', async () => {
  await expect(loadDev(() => Promise.reject(notFound('pg')))).rejects.toThrow("Cannot find package 'pg'")
})
