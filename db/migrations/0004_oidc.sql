CREATE TABLE `t_retry_oidc_flow` (
	`token_hash` varchar(64) NOT NULL,
	`state_hash` varchar(64) NOT NULL,
	`nonce` varchar(64) NOT NULL,
	`verifier` varchar(128) NOT NULL,
	`redirect_uri` varchar(512) NOT NULL,
	`path` varchar(2000) NOT NULL,
	`session_hash` varchar(64),
	`create_time` datetime(3) NOT NULL,
	`expire_time` datetime(3) NOT NULL,
	PRIMARY KEY(`token_hash`),
	KEY `idx_expire` (`expire_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
