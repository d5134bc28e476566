import { syncFile, type Temporary, temporaryBeside } from '../../lib/files.ts';
import {
  type Backup,
  backupError,
  copyToBackUp,
  type Naming,
  publishBackup,
  refuse,
  wasStopped,
} from './backup.ts';
import { digestOf } from './backup-plan.ts';
import { encryptFile } from './encryption.ts';
import { ErasedMeanwhile } from './erased-meanwhile.ts';

/**
 * As `backup`, encrypted for a recipient. The copy is verified before it is encrypted, because only the owner of the identity can
 * read it afterwards. Meanwhile a plain copy is beside the database, readable only for its owner.
 * @throws SciaticaError as `backup`; `invalid` for an invalid recipient
 */
export async function encryptedBackup(
  source: string,
  target: string,
  recipient: string,
  naming: Naming = {},
): Promise<Backup> {
  let plain: Temporary | undefined;
  let encrypted: Temporary | undefined;
  try {
    refuse(source, target, naming);
    const digest = digestOf(naming.database ?? source);
    plain = temporaryBeside(source, digest);
    const copy = copyToBackUp(source, plain.path);
    encrypted = temporaryBeside(target, digest);
    await encryptFile(plain.path, encrypted.path, recipient);
    syncFile(encrypted.path);
    return publishBackup(encrypted.path, copy, source, target, naming);
  } catch (error) {
    const isStopped = wasStopped(error, plain) || wasStopped(error, encrypted);
    throw isStopped ? new ErasedMeanwhile() : backupError(error, target);
  } finally {
    plain?.remove();
    encrypted?.remove();
  }
}
