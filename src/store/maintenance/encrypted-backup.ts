import { statSync } from 'node:fs';
import { syncFile, type Temporary, temporaryBeside } from '../../lib/files.ts';
import { type Backup, backup, backupError, publish, refuseTarget } from './backup.ts';
import { encryptFile } from './encryption.ts';

/**
 * As `backup`, encrypted for a recipient. The copy is looked through before it is encrypted: only the owner of the
 * identity can look into it afterwards. While it is made, a plain copy is beside the database, for its owner only.
 * @throws SciaticaError as `backup`; `invalid` for what is no recipient
 */
export async function encryptedBackup(
  source: string,
  target: string,
  recipient: string,
  { force = false, rename = false }: { force?: boolean; rename?: boolean } = {},
): Promise<Backup> {
  let plain: Temporary | undefined;
  let encrypted: Temporary | undefined;
  try {
    if (statSync(source, { throwIfNoEntry: false })) {
      refuseTarget(source, target, force || rename);
      plain = temporaryBeside(source);
    }
    const made = backup(source, plain?.path ?? target, { force: true });
    encrypted = temporaryBeside(target);
    await encryptFile(made.path, encrypted.path, recipient);
    syncFile(encrypted.path);
    const bytes = statSync(encrypted.path).size;
    return { ...made, bytes, path: publish(encrypted.path, target, { force, rename }) };
  } catch (error) {
    throw backupError(error, target);
  } finally {
    plain?.remove();
    encrypted?.remove();
  }
}
