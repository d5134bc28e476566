/** File systems that other computers may write to, by their number on Linux (statfs(2), linux/magic.h). */
const NETWORKS: Readonly<Record<number, string>> = {
  26985: 'a network disk (NFS)',
  20859: 'a network disk (SMB)',
  4283649346: 'a network disk (CIFS)',
  4266872130: 'a network disk (SMB)',
  16914839: 'a disk shared with another system (9p)',
  1702057286: 'a disk behind another program (FUSE), perhaps a network',
  1397113167: 'a network disk (AFS)',
  1799439955: 'a network disk (AFS)',
  1937076805: 'a network disk (Coda)',
  12805120: 'a network disk (Ceph)',
  198183888: 'a network disk (Lustre)',
  18225520: 'a shared disk (GFS2)',
  1952539503: 'a shared disk (OCFS2)',
  22092: 'a network disk (NCP)',
  2020557398: 'a folder shared with a virtual machine (VirtualBox)',
};

/** What a type of file system is called if it lies on a network; the types are known on Linux only. */
export function networkName(type: number): string | undefined {
  return process.platform === 'linux' ? NETWORKS[type >>> 0] : undefined;
}
