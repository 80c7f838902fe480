/** Real keystore files, made here and by other programs, in a real folder. */
import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { afterAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import { describeKeySource } from '../../testing/signer/key-source.suite.ts'
import { addressOf } from '../local-keys.ts'
import { createReadSecret } from '../read-secret.ts'
import { openSigningKit } from '../signing-kit.ts'
import { openKeystoreFolder } from './keystore-folder.ts'
import { writeKeystore } from './write-keystore.ts'

const kit = await openSigningKit()
const PASSWORD = 'correct horse battery staple'
const KEYS: readonly Hex[] = [`0x${randomBytes(32).toString('hex')}`, `0x${randomBytes(32).toString('hex')}`]
const [FIRST = '0x', SECOND = '0x'] = KEYS
const folders: string[] = []

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

/** As geth writes it; cheap, because the parameters are in the file. */
function makeKeystore(key: Hex, kdf: 'scrypt' | 'pbkdf2', password = PASSWORD): Record<string, unknown> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived =
    kdf === 'scrypt'
      ? scryptSync(password, salt, 32, { N: 1_024, r: 8, p: 1 })
      : pbkdf2Sync(password, salt, 1_000, 32, 'sha256')
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(key.slice(2), 'hex')), cipher.final()])
  const mac = Buffer.from(kit.keccak.hash(Buffer.concat([derived.subarray(16), ciphertext])))
  const kdfparams = kdf === 'scrypt' ? { n: 1_024, r: 8, p: 1 } : { c: 1_000, prf: 'hmac-sha256' }
  return {
    version: 3,
    id: '00000000-0000-4000-8000-000000000000',
    address: addressOf(Buffer.from(key.slice(2), 'hex'), kit).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf,
      kdfparams: { ...kdfparams, dklen: 32, salt: salt.toString('hex') },
      mac: mac.toString('hex'),
    },
  }
}

async function makeFolder(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-keystore-'))
  folders.push(folder)
  await mkdir(join(folder, 'keys'))
  for (const [name, content] of Object.entries(files)) await put(folder, name, content)
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`, { mode: 0o600 })
  return folder
}

async function put(folder: string, name: string, content: unknown): Promise<void> {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  await writeFile(join(folder, 'keys', name), text, { mode: 0o600 })
}

async function openFolder(folder: string, warnings: string[] = []) {
  const warn = (message: string) => void warnings.push(message)
  const password = { type: 'file', path: join(folder, 'password') } as const
  const ports = { kit, readSecret: createReadSecret(warn), warn }
  return await openKeystoreFolder({ folder: join(folder, 'keys'), password }, ports)
}

const [scrypt, pbkdf2] = [makeKeystore(FIRST, 'scrypt'), makeKeystore(SECOND, 'pbkdf2')]

describeKeySource(
  'keystore folder',
  async () => {
    const folder = await makeFolder({ 'a.json': scrypt, 'b.json': pbkdf2, '.hidden': 'not a keystore' })
    const keys = join(folder, 'keys')
    const setAway = (isAway: boolean) => (isAway ? rename(keys, `${keys}-away`) : rename(`${keys}-away`, keys))
    return { source: await openFolder(folder), privateKeys: KEYS, secrets: [PASSWORD], setAway }
  },
  { isDeterministic: true },
)

test('opens what another program wrote', async () => {
  const json = await new Wallet(FIRST).encrypt(PASSWORD, undefined as never)
  const source = await openFolder(await makeFolder({ ethers: json }))
  expect(source.addresses()).toEqual([new Wallet(FIRST).address.toLowerCase()])
}, 60_000)

describe('a key that Drover writes', () => {
  const write = (folder: string, key: Hex, password = PASSWORD) =>
    writeKeystore(Buffer.from(key.slice(2), 'hex'), { folder: join(folder, 'keys'), password, kit })

  test('is opened by a node and by another program, and only its owner can read it', async () => {
    const folder = await makeFolder({})
    const { address, file, isNew } = await write(folder, FIRST)
    expect([address, isNew]).toEqual([new Wallet(FIRST).address.toLowerCase(), true])
    expect((await openFolder(folder)).addresses()).toEqual([address])
    const text = await readFile(file, 'utf8')
    expect((await Wallet.fromEncryptedJson(text, PASSWORD)).privateKey).toBe(FIRST)
    expect([text.includes(FIRST.slice(2)), (await stat(file)).mode & 0o777]).toEqual([false, 0o600])
  }, 60_000)

  test('is not written twice, and leaves nothing else in the folder', async () => {
    const folder = await makeFolder({ a: scrypt })
    expect(await write(folder, FIRST)).toMatchObject({ file: join(folder, 'keys', 'a'), isNew: false })
    expect(await readdir(join(folder, 'keys'))).toEqual(['a'])
  })

  test('needs the password that the other files have', async () => {
    const folder = await makeFolder({ a: scrypt })
    await expect(write(folder, SECOND, 'another')).rejects.toThrow(
      'keystore a: the password is wrong, or the file is damaged; all files in a folder need the same password',
    )
    expect(await readdir(join(folder, 'keys'))).toEqual(['a'])
  })

  test('that is none is refused', async () => {
    const folder = await makeFolder({})
    await expect(write(folder, `0x${'0'.repeat(64)}`)).rejects.toThrow('not a private key')
    expect(await readdir(join(folder, 'keys'))).toEqual([])
  })
})

describe('a start that cannot go on says why, by file', () => {
  test.each([
    [
      'a wrong password',
      makeKeystore(FIRST, 'scrypt', 'another'),
      'keystore a: the password is wrong, or the file is damaged',
    ],
    ['a file of another kind', 'PRIVATE', 'keystore a: not a version 3 keystore'],
    ['another version', { ...scrypt, version: 1 }, 'keystore a: not a version 3 keystore'],
    ['a damaged file', { ...scrypt, crypto: {} }, 'keystore a: unknown cipher; only aes-128-ctr is supported'],
    [
      'another key than it says',
      { ...scrypt, address: pbkdf2.address },
      'keystore a: contains the key of another address than it says',
    ],
    [
      'parameters that would take all memory',
      {
        ...scrypt,
        crypto: { ...(scrypt.crypto as object), kdfparams: { n: 2 ** 30, r: 8, p: 1, dklen: 32, salt: 'ab' } },
      },
      'keystore a: its scrypt parameters need too much memory or time',
    ],
  ])('%s', async (_, content, message) => {
    const problem = await openFolder(await makeFolder({ a: content })).catch(String)
    expect(problem).toBe(`Error: ${message}`)
  })

  test('no folder, no password', async () => {
    const folder = await makeFolder({ a: scrypt })
    await rm(join(folder, 'password'))
    expect(await openFolder(folder).catch(String)).toBe(`Error: cannot read ${join(folder, 'password')}: ENOENT`)
    await rm(join(folder, 'keys'), { recursive: true })
    expect(await openFolder(folder).catch(String)).toBe(
      `Error: cannot read the keystore folder ${join(folder, 'keys')}: ENOENT`,
    )
  })
})

test('two files of one address: the second is named, and the first signs', async () => {
  const source = await openFolder(await makeFolder({ a: scrypt, b: makeKeystore(FIRST, 'pbkdf2') }))
  await expect(source.look()).rejects.toThrow('keystore b: has the same key as a: remove one of them')
  expect(source.addresses()).toHaveLength(1)
})

test('a file that was copied signs on once the first one is gone', async () => {
  const folder = await makeFolder({ a: scrypt })
  const source = await openFolder(folder)
  await put(folder, 'b', scrypt)
  await expect(source.look()).rejects.toThrow('keystore b: has the same key as a')
  await rm(join(folder, 'keys', 'a'))
  await source.look()
  expect(source.addresses()).toEqual([`0x${scrypt.address}`])
})

test('a file that gets another key in it takes the old one away', async () => {
  const folder = await makeFolder({ a: scrypt })
  const source = await openFolder(folder)
  await put(folder, 'a', pbkdf2)
  await source.look()
  expect(source.addresses()).toEqual([`0x${pbkdf2.address}`])
})

test('once the password is right, a file that could not be opened is tried again', async () => {
  const folder = await makeFolder({ a: scrypt })
  const source = await openFolder(folder)
  await put(folder, 'b', makeKeystore(SECOND, 'pbkdf2', 'another'))
  await expect(source.look()).rejects.toThrow('keystore b: the password is wrong')
  await writeFile(join(folder, 'password'), 'another', { mode: 0o600 })
  await source.look()
  expect(source.addresses()).toHaveLength(2)
})

test('files that come and go add and remove accounts; each is decrypted once', async () => {
  const folder = await makeFolder({ a: scrypt })
  const source = await openFolder(folder)
  let changes = 0
  source.onChange(() => changes++)
  await source.look()
  expect([source.addresses().length, changes]).toEqual([1, 0])
  await put(folder, 'b', pbkdf2)
  await source.look()
  expect([source.addresses().length, changes]).toEqual([2, 1])
  await put(folder, 'c', 'not a keystore')
  await expect(source.look()).rejects.toThrow('keystore c: not a version 3 keystore')
  expect(source.addresses()).toHaveLength(2)
  await rm(join(folder, 'keys', 'a'))
  await rm(join(folder, 'keys', 'c'))
  await source.look()
  expect(source.addresses()).toEqual([`0x${pbkdf2.address}`])
})

test.skipIf(process.platform === 'win32')('warns about files that every user can read', async () => {
  const folder = await makeFolder({ a: scrypt })
  await chmod(join(folder, 'keys', 'a'), 0o644)
  const warnings: string[] = []
  await openFolder(folder, warnings)
  expect(warnings).toEqual([`every user of this machine can read ${join(folder, 'keys', 'a')}: run chmod 600`])
})

describe('a password from a command', () => {
  const readSecret = createReadSecret(() => {})
  test('is what the command prints', async () => {
    expect(await readSecret({ type: 'command', command: "printf 'a b\\n'" })).toBe('a b')
  })
  test('neither output nor arguments are in the error', async () => {
    const problem = await readSecret({ type: 'command', command: 'sh -c "echo geheim; exit 3"' }).catch(String)
    expect(problem).toBe('Error: the output of the command sh cannot be read: the command failed (exit code 3)')
  })
})
