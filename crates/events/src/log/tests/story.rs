use super::*;

#[tokio::test]
async fn what_is_stored_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let log = Log::open(dir.path(), options()).unwrap();
    let ids: Vec<Uuid> = (0..5).map(|n| id(1, n)).collect();
    assert_eq!(log.append(batch("shop", SECOND, &ids)).await.unwrap(), [Taken::Stored; 5]);
    assert_eq!(log.append(batch("blog", SECOND, &ids[..2])).await.unwrap(), [Taken::Stored; 2]);
    assert_eq!(log.last(), Position { seq: 2 });
    let found = read(dir.path());
    assert_eq!(found.len(), 7);
    assert_eq!(found[5].0.as_ref(), "blog");
    assert_eq!(found[1].1, ids[1]);
    assert_eq!(format!("{}\n", found[1].2), line("shop", ids[1]));
    log.close().await.unwrap();
    assert_eq!(read(dir.path()).len(), 7);
    assert_eq!(whole(dir.path()).blocks, 2);
}
